package dev.loom.filter;

import dev.loom.api.TextIndexParameters;

/**
 * What a text index may take.
 *
 * @param lists whether units have lists of rows, counts of frequent words and prefixes, besides their filter
 * @param parameters how units are made; without lists, their rows alone
 * @param bytesMax the bytes of the units of a source; beyond it the oldest are deleted
 */
public record TextIndexLimits(boolean lists, TextIndexParameters parameters, long bytesMax) {
    /** The shape of a unit whose words that are not frequent have a filter of 2^rareBits + 8 bytes. */
    UnitShape shape(int rareBits) {
        return lists ? UnitShape.full(rareBits, parameters) : UnitShape.filterAlone(rareBits);
    }
}
