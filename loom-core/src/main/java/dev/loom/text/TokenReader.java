package dev.loom.text;

import org.agrona.DirectBuffer;

/**
 * Reads the tokens of UTF-8 texts. A token is a maximal run of Unicode letters, decimal digits, {@code _}, and the
 * marks that belong to them, in the normal form of {@link FoldedReader}, which ignores case and composes characters. One
 * mark, U+0345, is a letter in that form, and needs none to belong to. Bytes that are not UTF-8 separate tokens, and so do
 * characters beyond {@link AssignedCharacters}.
 * Reading allocates nothing except for characters that are not composed yet.
 * For one thread.
 */
public final class TokenReader {
    /** The version of the definition of a token; data built from tokens records the version that it was built with. */
    public static final int VERSION = 2;

    /** The code points kept of a token; longer tokens are distinguished only by these and their length. */
    public static final int LENGTH_MAX = 256;

    private static final int SEPARATOR = FoldedReader.MALFORMED;
    private static final int ASCII = 0x80;

    /** The folded form of each ASCII character, or {@link #SEPARATOR}. */
    private static final int[] FOLDED = new int[ASCII];

    static {
        for (int c = 0; c < ASCII; c++) {
            FOLDED[c] = isPart(c) ? FoldedReader.fold(c) : SEPARATOR;
        }
    }

    private final FoldedReader characters = new FoldedReader();
    private final int[] token = new int[LENGTH_MAX];
    private int length;
    /** The state of the digest behind the code points kept. */
    private long state;

    /** Makes a reader without a text. */
    public TokenReader() {}

    /** Begins the text at {@code [offset, offset + textLength)}, within the buffer. */
    public void wrap(DirectBuffer text, int offset, int textLength) {
        characters.wrap(text, offset, textLength);
        length = 0;
    }

    /** Reads the next token; false after the last. */
    public boolean next() {
        length = 0;
        state = TokenDigest.EMPTY;
        while (!nextOfAscii()) {
            int folded = other();
            if (folded >= 0) {
                if (length < LENGTH_MAX) {
                    token[length] = folded;
                    state = TokenDigest.add(state, folded);
                }
                length++;
            } else if (length > 0) {
                return true;
            } else if (folded == FoldedReader.END) {
                return false;
            }
        }
        return true;
    }

    /** Takes the next ASCII characters that nothing joins. Returns whether one of them ends the token. */
    private boolean nextOfAscii() {
        if (characters.hasPending()) {
            return false;
        }
        DirectBuffer buffer = characters.buffer();
        int end = characters.end();
        int start = characters.position();
        int at = start;
        int[] kept = token;
        int count = length;
        long digested = state;
        boolean ended = false;
        while (at < end && !ended) {
            byte c = buffer.getByte(at);
            int folded = c < 0 ? SEPARATOR : FOLDED[c];
            if (folded >= 0) {
                if (count < LENGTH_MAX) {
                    kept[count] = folded;
                    digested = TokenDigest.add(digested, folded);
                }
                count++;
            } else if (c < 0) {
                if (at > start && FoldedReader.mayJoin(c)) {
                    // the character before must be read together with this one
                    at--;
                    count -= FOLDED[buffer.getByte(at)] < 0 ? 0 : 1;
                    digested = TokenDigest.state(kept, Math.min(count, LENGTH_MAX));
                }
                break;
            } else if (count > 0) {
                if (at + 1 < end && FoldedReader.mayJoin(buffer.getByte(at + 1))) {
                    break;
                }
                ended = true;
            }
            at++;
        }
        length = count;
        state = digested;
        characters.position(at);
        return ended;
    }

    /** The token's length in code points, including those not kept. */
    public int length() {
        return length;
    }

    /** The state of {@link TokenDigest} behind the token; of a longer one than is kept, with its length. */
    public long state() {
        return length > LENGTH_MAX ? TokenDigest.add(state, length) : state;
    }

    /** One of the token's folded code points, below {@link #length()} and {@link #LENGTH_MAX}. */
    public int codePoint(int i) {
        return token[i];
    }

    /** Whether the token equals these folded code points, at most {@link #LENGTH_MAX}. */
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

    /**
     * Reads a character that is not ASCII, or is joined by others; {@link #SEPARATOR} if it is not part of a token.
     */
    private int other() {
        int folded = characters.next();
        boolean part = folded >= 0 && (isPart(folded) || (length > 0 && FoldedReader.isMark(folded)));
        return part || folded == FoldedReader.END ? folded : SEPARATOR;
    }

    /** Whether a character is part of a token by itself: a letter, a decimal digit or {@code _}. */
    public static boolean isPart(int codePoint) {
        return AssignedCharacters.contains(codePoint)
                && (Character.isLetter(codePoint) || Character.isDigit(codePoint) || codePoint == '_');
    }
}
