package dev.loom.query.service;

/** A copy of a record, kept to be handed over later. */
final class KeptRecord {
    private static final int OVERHEAD = 64;

    private final long eventNs;
    private final long address;
    private final byte[] payload;

    /** Keeps a payload, which must not change any more. */
    KeptRecord(long eventNs, long address, byte[] payload) {
        this.eventNs = eventNs;
        this.address = address;
        this.payload = payload;
    }

    long eventNs() {
        return eventNs;
    }

    long address() {
        return address;
    }

    byte[] payload() {
        return payload;
    }

    /** The approximate size in memory, bytes. */
    long size() {
        return payload.length + (long) OVERHEAD;
    }
}
