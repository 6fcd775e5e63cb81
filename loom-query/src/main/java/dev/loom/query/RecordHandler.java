package dev.loom.query;

import org.agrona.DirectBuffer;

/** Receives the records of a scan. The buffer is valid only during the call. */
@FunctionalInterface
public interface RecordHandler {
    void onRecord(long timeNs, DirectBuffer buffer, int offset, int length);
}
