package dev.loom.query.where;

import org.agrona.DirectBuffer;

/** What is searched for within a text. For one thread. */
interface TextSearch {
    /** Whether the bytes at {@code [offset, offset + length)} have it somewhere within. */
    boolean isWithin(DirectBuffer value, int offset, int length);
}
