package dev.loom.text;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the tokens of UTF-8 texts: each a maximal run of Unicode letters, decimal digits and {@code _}, folded so that upper
 * and lower case are the same. Bytes that are not UTF-8 separate tokens. Reading allocates nothing. For one thread.
 */
public final class TokenReader {
    /** Counts the changes of what a token is; what is built from tokens names the version that it was built with. */
    public static final int VERSION = 1;

    /** Code points of a token that are kept; longer ones are told apart by no more than these and their length. */
    public static final int LENGTH_MAX = 256;

    private static final int NONE = -1;
    private static final int ASCII = 0x80;

    /** Of each ASCII character what it is folded to, or {@link #NONE} if it separates tokens. */
    private static final int[] FOLDED = new int[ASCII];

    static {
        for (int c = 0; c < ASCII; c++) {
            FOLDED[c] = foldAny(c);
        }
    }

    private final int[] token = new int[LENGTH_MAX];
    private int length;

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int position;
    private int end;

    /** Makes one without a text. */
    public TokenReader() {}

    /** Begins the text at {@code [offset, offset + textLength)}, within the buffer. */
    public void wrap(DirectBuffer text, int offset, int textLength) {
        text.boundsCheck(offset, textLength);
        buffer = text;
        position = offset;
        end = offset + textLength;
        length = 0;
    }

    /** Reads the next token; false behind the last. */
    public boolean next() {
        length = 0;
        while (position < end) {
            int folded = nextFolded();
            if (folded >= 0) {
                if (length < LENGTH_MAX) {
                    token[length] = folded;
                }
                length++;
            } else if (length > 0) {
                return true;
            }
        }
        return length > 0;
    }

    /** How many code points the token has, also those that are not kept. */
    public int length() {
        return length;
    }

    /** One of the token's folded code points, below {@link #length()} and {@link #LENGTH_MAX}. */
    public int codePoint(int i) {
        return token[i];
    }

    /** Whether the token is this one, of at most {@link #LENGTH_MAX} folded code points. */
    public boolean is(int[] other) {
        return length == other.length && beginsWith(other);
    }

    /** Whether the token begins with these folded code points, at most {@link #LENGTH_MAX}. */
    public boolean beginsWith(int[] beginning) {
        if (length < beginning.length) {
            return false;
        }
        for (int i = 0; i < beginning.length; i++) {
            if (token[i] != beginning[i]) {
                return false;
            }
        }
        return true;
    }

    /** Steps over one character; returns what it is folded to, or {@link #NONE}. */
    private int nextFolded() {
        int first = buffer.getByte(position++);
        if (first >= 0) {
            return FOLDED[first];
        }
        int codePoint = rest(first & 0xFF);
        return codePoint < 0 ? NONE : foldAny(codePoint);
    }

    /** Reads what follows the first of several bytes; {@link #NONE}, and no step, if that is no character. */
    private int rest(int first) {
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || end - position < more) {
            return NONE;
        }
        int codePoint = first & (0x3F >> more);
        for (int i = 0; i < more; i++) {
            int next = buffer.getByte(position + i) & 0xFF;
            if (next >> 6 != 2) {
                return NONE;
            }
            codePoint = codePoint << 6 | (next & 0x3F);
        }
        boolean overlong = (more == 2 && codePoint < 0x800) || (more == 3 && codePoint < 0x10000);
        boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        if (overlong || surrogate || codePoint > Character.MAX_CODE_POINT) {
            return NONE;
        }
        position += more;
        return codePoint;
    }

    private static int foldAny(int codePoint) {
        return Character.isLetter(codePoint) || Character.isDigit(codePoint) || codePoint == '_'
                ? Character.toLowerCase(Character.toUpperCase(codePoint))
                : NONE;
    }
}
