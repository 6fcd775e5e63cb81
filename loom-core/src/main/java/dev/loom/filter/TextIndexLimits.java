package dev.loom.filter;

/**
 * What a text index may take.
 *
 * @param lists whether units have lists of rows, counts of frequent words and prefixes, besides their filter
 * @param rowsMax the rows of a unit, 1 to {@value UnitShape#ROWS_MAX}
 * @param bytesMax the bytes of the units of a source; beyond it the oldest are deleted
 */
public record TextIndexLimits(boolean lists, int rowsMax, long bytesMax) {
    /** Some 24,000 rows for lists of 18; {@code docs/text-index.md} tells how useful these are then. */
    public static final int ROWS = 24_576;
}
