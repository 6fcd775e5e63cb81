package dev.loom.format;

import org.agrona.DirectBuffer;

/**
 * Finds the payload of another record, for formats whose payloads refer to what several records share. A record may refer to
 * one that is before it in the same segment of the log, and so is kept as long as it is; what an index has seen of a record
 * is then true as long as the record is there. For one thread.
 */
public interface RecordLookup {
    /** Says from which record others are referred to, until the next call: its address. */
    void from(long recordAddress);

    /**
     * Finds the record that begins at an address.
     *
     * @param address any number: nothing is taken for granted
     * @param format the text of the format that the record's source has
     * @return whether there is such a record, which may be referred to, and can be read; nothing is thrown
     */
    boolean find(long address, String format);

    /** The buffer that holds the payload found last, until the next {@link #find}. */
    DirectBuffer buffer();

    int offset();

    int length();

    /** How often a record was not found because of damage: what depends on it is not known. */
    long failures();
}
