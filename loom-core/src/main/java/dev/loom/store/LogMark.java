package dev.loom.store;

import dev.loom.log.PageDescriptor;

/**
 * The mark's state of one log.
 *
 * @param ringLength the ring's bytes, now or in the last session
 * @param ringWanted the configured bytes, if there was no room for as many
 * @param begin its oldest retained address
 * @param durable the end of what survives a power cut; the log's end if the store is closed
 */
record LogMark(int ringLength, int ringWanted, long begin, long durable) {
    boolean possible() {
        return PageDescriptor.isPage(begin)
                && PageDescriptor.isPage(durable)
                && begin <= durable
                && isRing(ringLength)
                && (ringWanted == 0 || isRing(ringWanted));
    }

    private static boolean isRing(int length) {
        return length >= 2 * PageDescriptor.PAGE_LENGTH && Integer.bitCount(length) == 1;
    }

    LogMark withBegin(long newBegin) {
        return new LogMark(ringLength, ringWanted, newBegin, durable);
    }

    LogMark withRing(int newRingLength, int newRingWanted) {
        return new LogMark(newRingLength, newRingWanted, begin, durable);
    }

    /** The same log continued at an address, with nothing in between. */
    LogMark movedTo(long address) {
        return new LogMark(ringLength, ringWanted, begin, address);
    }

    /** An empty log that continues at an address. */
    LogMark emptied(long address) {
        return new LogMark(ringLength, ringWanted, address, address);
    }

    LogMark withDurable(long newDurable) {
        return new LogMark(ringLength, ringWanted, begin, newDurable);
    }
}
