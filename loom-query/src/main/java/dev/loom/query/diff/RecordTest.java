package dev.loom.query.diff;

import org.agrona.DirectBuffer;

/** Tells whether a record belongs to a set. The lookup stands at the record. */
@FunctionalInterface
public interface RecordTest {
    /**
     * Tests a record.
     *
     * @param timeNs when it arrived
     */
    boolean test(long timeNs, DirectBuffer buffer, int offset, int length);
}
