package dev.loom.store;

/**
 * What the mark says of one log.
 *
 * @param ringLength bytes of its ring, now or in the last session
 * @param begin its oldest retained address
 * @param durable its end as far as it survives a power cut; all of it when the store is closed
 */
record LogMark(int ringLength, long begin, long durable) {
    LogMark withRing(int newRingLength) {
        return new LogMark(newRingLength, begin, durable);
    }

    /** Going on at an address, with nothing between. */
    LogMark movedTo(long address) {
        return new LogMark(ringLength, begin, address);
    }

    /** Empty, and going on at an address. */
    LogMark emptied(long address) {
        return new LogMark(ringLength, address, address);
    }

    LogMark withDurable(long newDurable) {
        return new LogMark(ringLength, begin, newDurable);
    }
}
