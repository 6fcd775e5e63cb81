package dev.loom.store;

import dev.loom.log.PageDescriptor;

/**
 * What the mark says of one log.
 *
 * @param ringLength bytes of its ring, now or in the last session
 * @param ringWanted bytes that were asked for, if there was no room for as many
 * @param begin its oldest retained address
 * @param durable its end as far as it survives a power cut; all of it when the store is closed
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

    /** Going on at an address, with nothing between. */
    LogMark movedTo(long address) {
        return new LogMark(ringLength, ringWanted, begin, address);
    }

    /** Empty, and going on at an address. */
    LogMark emptied(long address) {
        return new LogMark(ringLength, ringWanted, address, address);
    }

    LogMark withDurable(long newDurable) {
        return new LogMark(ringLength, ringWanted, begin, newDurable);
    }
}
