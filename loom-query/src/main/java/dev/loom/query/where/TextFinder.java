package dev.loom.query.where;

import org.agrona.DirectBuffer;

/** Finds something within a text. For one thread. */
interface TextFinder {
    /** Whether it occurs in the bytes at {@code [offset, offset + length)}. */
    boolean isWithin(DirectBuffer value, int offset, int length);
}
