package dev.loom.api;

/**
 * How the units of a text index are made (ESTELLE, SIGMOD'24, 3.2 and 3.3), with the paper's letters. Units that were built with other
 * parameters are read as they are, but not put together with later ones. The sizes of filters, x_h and x_l, are not parameters: each unit's
 * follow from those of the one before. {@code docs/text-index.md} says how the defaults were found.
 *
 * @param unitRows the most records of a unit of several chunks, 1,024 to 65,535; it may end sooner. With more, lists fill up sooner
 * @param listRows k: how many rows a list holds, 1 to 64. An AND of two words whose lists are both full reads all later rows
 * @param listBytes q_l: how many bytes of the filter of infrequent words share one list, 1 to 1,024; fewer bytes per list take more room
 * @param countBytes q_h: how many bytes of the filter of frequent words share one count, 1 to 32
 * @param prefixLength the longest prefix that is looked up as it is, in code points, 0 to 16; records are read for the rest of a
 *     longer one, and with 0 for all of it
 */
public record TextIndexParameters(int unitRows, int listRows, int listBytes, int countBytes, int prefixLength) {
    /** Units of 24,576 rows, a list of 18 rows for every 16 bytes, a count for every 2 bytes, prefixes of up to 8 code points. */
    public static final TextIndexParameters DEFAULT = new TextIndexParameters(24_576, 18, 16, 2, 8);

    /** @throws IllegalArgumentException for a number out of its range */
    public TextIndexParameters {
        check("unit rows", unitRows, 1_024, 65_535);
        check("list rows", listRows, 1, 64);
        check("list bytes", listBytes, 1, 1_024);
        check("count bytes", countBytes, 1, 32);
        check("prefix length", prefixLength, 0, 16);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "bad text index: " + name + "=" + value + ", expected=" + least + " to " + most);
        }
    }

    /** With another {@link #unitRows()}. */
    public TextIndexParameters withUnitRows(int rows) {
        return new TextIndexParameters(rows, listRows, listBytes, countBytes, prefixLength);
    }

    /** With other lists. */
    public TextIndexParameters withLists(int rows, int bytes) {
        return new TextIndexParameters(unitRows, rows, bytes, countBytes, prefixLength);
    }

    /** With another {@link #countBytes()}. */
    public TextIndexParameters withCountBytes(int bytes) {
        return new TextIndexParameters(unitRows, listRows, listBytes, bytes, prefixLength);
    }

    /** With another {@link #prefixLength()}. */
    public TextIndexParameters withPrefixLength(int codePoints) {
        return new TextIndexParameters(unitRows, listRows, listBytes, countBytes, codePoints);
    }
}
