package dev.loom.query;

import org.agrona.DirectBuffer;

/** Takes the records of a scan. The buffer is valid during the call alone. */
@FunctionalInterface
public interface RecordHandler {
    void onRecord(long timeNs, DirectBuffer buffer, int offset, int length);
}
