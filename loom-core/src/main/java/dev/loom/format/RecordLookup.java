package dev.loom.format;

import org.agrona.DirectBuffer;

/**
 * Finds the payload of another record, for formats whose payloads refer to data that several records share. A record
 * may refer only to an earlier one in the same segment of the log, which is therefore retained as long as the record
 * itself; so what an index has derived from a record stays true as long as the record is there. For one thread.
 */
public interface RecordLookup extends AutoCloseable {
    /** Sets the address of the referring record, until the next call. */
    void from(long recordAddress);

    /** Whether the referring record may refer to one at an address: it is earlier, and in the same segment. It may not be there. */
    boolean mayRefer(long address);

    /**
     * Finds the record that begins at an address.
     *
     * @param address any number; it is not trusted
     * @param format the text form of the format of the record's source
     * @return whether there is such a record that may be referred to and can be read; never throws
     */
    boolean find(long address, String format);

    /** The buffer that holds the last payload found, until the next {@link #find}. */
    DirectBuffer buffer();

    int offset();

    int length();

    /** How often a record was not found because of damage; values that depend on it are unknown. */
    long failures();

    /** Frees the memory; from then on nothing is found. Idempotent. */
    @Override
    void close();
}
