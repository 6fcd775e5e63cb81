package dev.loom.filter;

import org.agrona.MutableDirectBuffer;

/** A unit whose structures can be copied, from memory or from a file. */
interface TokenUnit {
    UnitShape shape();

    UnitExtent extent();

    /** Copies pieces of a part, one after the other. */
    void copy(UnitPart part, int firstPiece, int pieces, MutableDirectBuffer into, int offset);

    /** Copies a list of rows, two bytes a row. Returns the number of rows. */
    int copyList(int list, MutableDirectBuffer into, int offset);
}
