package dev.loom.filter;

import dev.loom.api.TextIndexParameters;
import dev.loom.text.TokenCondition;

/**
 * How large a unit's structures are (ESTELLE, 3.2 and 3.3), with the paper's letters. Frequent words have a filter and counts of
 * their own, apart from the others' filter and lists, so that they do not fill these.
 *
 * @param frequentBits x_h: the filter of frequent words has 2^x_h + 8 bytes
 * @param rareBits x_l: the filter of the other words has 2^x_l + 8 bytes
 * @param countBytes q_h: how many bytes of the filter of frequent words share one count of rows
 * @param listBytes q_l: how many bytes of the other filter share one list of rows
 * @param listRows k: the rows that a list holds, 0 to {@value #LIST_ROWS_MAX}; without lists, a word may be in any row
 * @param prefixBits the filter of prefixes has 2^prefixBits + 8 bytes; 0 for none
 * @param prefixLength the longest prefix that it has, in code points
 */
record UnitShape(
        int frequentBits, int rareBits, int countBytes, int listBytes, int listRows, int prefixBits, int prefixLength) {
    /** The rows of a unit: numbers of two bytes, of which one says that there is none. */
    static final int ROWS_MAX = 0xFFFF;

    static final int LIST_ROWS_MAX = 64;

    /** The bytes that a unit's structures take at most. */
    static final long LENGTH_MAX = 256L << 20;

    UnitShape {
        TokenFilter.length(frequentBits);
        TokenFilter.length(rareBits);
        check("countBytes", countBytes, 1, 1 << frequentBits);
        check("listBytes", listBytes, 1, 1 << rareBits);
        check("listRows", listRows, 0, LIST_ROWS_MAX);
        if (prefixBits != 0) {
            TokenFilter.length(prefixBits);
            check("prefixLength", prefixLength, 1, TokenCondition.PREFIX_MAX);
        }
        if (length(frequentBits, rareBits, countBytes, listBytes, listRows, prefixBits) > LENGTH_MAX) {
            throw new IllegalArgumentException("unit is too large: bytes="
                    + length(frequentBits, rareBits, countBytes, listBytes, listRows, prefixBits) + ", most="
                    + LENGTH_MAX);
        }
    }

    private static long length(
            int frequentBits, int rareBits, int countBytes, int listBytes, int listRows, int prefixBits) {
        return TokenFilter.length(frequentBits)
                + TokenFilter.length(rareBits)
                + (long) pieces(frequentBits, countBytes) * Short.BYTES
                + (long) pieces(rareBits, listBytes) * listRows * Short.BYTES
                + (prefixBits == 0 ? 0 : TokenFilter.length(prefixBits));
    }

    private static int pieces(int sizeBits, int bytes) {
        return ((1 << sizeBits) - 1) / bytes + 1;
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "bad shape of a unit: " + name + "=" + value + ", expected=" + least + " to " + most);
        }
    }

    /**
     * The shape for a size of the filter of words that are not frequent, with smaller filters for frequent words and prefixes ({@code
     * docs/text-index.md} says how it was found).
     */
    static UnitShape full(int rareBits, TextIndexParameters parameters) {
        boolean prefixes = parameters.prefixLength() > 0;
        return new UnitShape(
                Math.max(TokenField.SIZE_BITS_MIN, rareBits - 5),
                rareBits,
                parameters.countBytes(),
                parameters.listBytes(),
                parameters.listRows(),
                prefixes ? Math.max(TokenField.SIZE_BITS_MIN, rareBits - 4) : 0,
                parameters.prefixLength());
    }

    /** The shape of a filter alone. */
    static UnitShape filterAlone(int rareBits) {
        return new UnitShape(TokenField.SIZE_BITS_MIN, rareBits, 1 << TokenField.SIZE_BITS_MIN, 1 << rareBits, 0, 0, 0);
    }

    /** The number of sizes that make a shape. */
    static final int SIZES = 7;

    /** The shape of sizes in the order of the components. */
    static UnitShape of(int[] sizes) {
        return new UnitShape(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]);
    }

    int[] toArray() {
        return new int[] {frequentBits, rareBits, countBytes, listBytes, listRows, prefixBits, prefixLength};
    }

    /** The counts of rows: one for each place where a field may begin. */
    int counts() {
        return pieces(frequentBits, countBytes);
    }

    /** The lists of rows. */
    int lists() {
        return pieces(rareBits, listBytes);
    }

    int countOf(long digest) {
        return TokenField.offset(digest, frequentBits) / countBytes;
    }

    int listOf(long digest) {
        return TokenField.offset(digest, rareBits) / listBytes;
    }

    /** The bytes of all structures of a unit. */
    long length() {
        return length(frequentBits, rareBits, countBytes, listBytes, listRows, prefixBits);
    }
}
