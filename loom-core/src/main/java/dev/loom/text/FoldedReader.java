package dev.loom.text;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the characters of UTF-8 texts so that those which mean the same are the same: folded, so that upper and lower case
 * are, and composed (NFC), so that é is one character whether it was written as one or as e and an accent. Variation
 * selectors are left out. Reading allocates nothing, but for characters that are not composed yet. For one thread.
 */
public final class FoldedReader {
    /** Instead of a character, behind the last. */
    public static final int END = -1;

    /** Instead of a character, for a byte that is not UTF-8. */
    public static final int MALFORMED = -2;

    /** All that composes with a character before it is at or behind this one. */
    private static final int JOINING_MIN = 0x300;

    /** The first byte of {@link #JOINING_MIN}, as it is signed. */
    private static final byte JOINING_LEAD_MIN = (byte) 0xCC;

    /** Characters that are composed at once; with more marks than that the rest stands for itself. */
    private static final int SEGMENT_MAX = 64;

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int position;
    private int end;

    private @Nullable StringBuilder segment;
    private int[] pending = {};
    private int pendingAt;
    private int pendingCount;

    /** Makes one without a text. */
    public FoldedReader() {}

    /** Begins the text at {@code [offset, offset + length)}, within the buffer. */
    public void wrap(DirectBuffer text, int offset, int length) {
        text.boundsCheck(offset, length);
        buffer = text;
        position = offset;
        end = offset + length;
        pendingAt = 0;
        pendingCount = 0;
    }

    /** Steps over a character; returns what it is folded to, {@link #MALFORMED}, or {@link #END} behind the last. */
    public int next() {
        while (true) {
            if (pendingAt < pendingCount) {
                return pending[pendingAt++];
            }
            if (position == end) {
                return END;
            }
            int codePoint = read();
            if (codePoint < 0) {
                return MALFORMED;
            }
            if (isComposed(codePoint) && !joins()) {
                return fold(codePoint);
            }
            compose(codePoint);
        }
    }

    /** Where the next character begins; {@link #end()} behind the last. Not told while composed characters are left. */
    int position() {
        return position;
    }

    void position(int at) {
        position = at;
    }

    int end() {
        return end;
    }

    DirectBuffer buffer() {
        return buffer;
    }

    /** Whether characters are left that were composed, and lie before the position. */
    boolean hasPending() {
        return pendingAt < pendingCount;
    }

    /** What a character is folded to, so that upper and lower case are the same. */
    static int fold(int codePoint) {
        return Character.toLowerCase(Character.toUpperCase(codePoint));
    }

    /** Whether a character is a mark, which belongs to the one before it. */
    static boolean isMark(int codePoint) {
        int type = codePoint < JOINING_MIN ? Character.UNASSIGNED : Character.getType(codePoint);
        return type == Character.NON_SPACING_MARK
                || type == Character.COMBINING_SPACING_MARK
                || type == Character.ENCLOSING_MARK;
    }

    /** Whether a character composes, or may, with the one before it: a mark, a vowel or an end of a Hangul syllable. */
    static boolean isJoining(int codePoint) {
        return isMark(codePoint)
                || (codePoint >= 0x1160 && codePoint <= 0x11FF)
                || (codePoint >= 0x16D67 && codePoint <= 0x16D68);
    }

    /** Whether a character by itself is certainly its composed form; a test compares with the JDK's tables. */
    static boolean isComposed(int codePoint) {
        if (codePoint < JOINING_MIN) {
            return true;
        }
        boolean greek =
                codePoint == 0x374 || codePoint == 0x37E || codePoint == 0x387 || isWithin(codePoint, 0x1F70, 0x1FFF);
        boolean indic = isWithin(codePoint, 0x958, 0x95F)
                || isWithin(codePoint, 0x9DC, 0x9DF)
                || isWithin(codePoint, 0xA33, 0xA5E)
                || isWithin(codePoint, 0xB5C, 0xB5D)
                || isWithin(codePoint, 0xF43, 0xFB9);
        boolean symbol = isWithin(codePoint, 0x2000, 0x2001)
                || isWithin(codePoint, 0x2126, 0x212B)
                || isWithin(codePoint, 0x2329, 0x232A)
                || codePoint == 0x2ADC
                || isWithin(codePoint, 0x1D15E, 0x1D1C0);
        boolean compatible = isWithin(codePoint, 0xF900, 0xFAFF)
                || isWithin(codePoint, 0xFB1D, 0xFB4E)
                || isWithin(codePoint, 0x2F800, 0x2FA1F);
        return !greek && !indic && !symbol && !compatible && !isJoining(codePoint);
    }

    private static boolean isWithin(int codePoint, int first, int last) {
        return codePoint >= first && codePoint <= last;
    }

    /** Whether a character may join what is before it, by the first of its bytes. */
    static boolean mayJoin(int first) {
        return first < 0 && first >= JOINING_LEAD_MIN;
    }

    /** Whether the next character joins the one before it. */
    private boolean joins() {
        if (position == end || !mayJoin(buffer.getByte(position))) {
            return false;
        }
        int at = position;
        int codePoint = read();
        position = at;
        return codePoint >= 0 && isJoining(codePoint);
    }

    /** Composes a character with those that join it, and keeps what that gives. */
    private void compose(int first) {
        StringBuilder characters = segment;
        if (characters == null) {
            characters = new StringBuilder();
            segment = characters;
        }
        characters.setLength(0);
        append(characters, first);
        for (int count = 1; count < SEGMENT_MAX && joins(); count++) {
            append(characters, read());
        }
        // an upper-case letter may be composed where its lower-case one is not yet
        pending = folded(folded(characters)).codePoints().toArray();
        pendingAt = 0;
        pendingCount = pending.length;
    }

    private static void append(StringBuilder characters, int codePoint) {
        boolean selector = isWithin(codePoint, 0xFE00, 0xFE0F) || isWithin(codePoint, 0xE0100, 0xE01EF);
        if (!selector) {
            characters.appendCodePoint(codePoint);
        }
    }

    private static CharSequence folded(CharSequence text) {
        StringBuilder folded = new StringBuilder();
        Normalizer.normalize(text, Form.NFC)
                .codePoints()
                .map(FoldedReader::fold)
                .forEach(folded::appendCodePoint);
        return folded;
    }

    /** Steps over a character, or over a byte that is none, which is {@link #MALFORMED}. */
    private int read() {
        int first = buffer.getByte(position++);
        return first >= 0 ? first : rest(first & 0xFF);
    }

    /** Reads what follows the first of several bytes; {@link #MALFORMED}, and no step, if that is no character. */
    private int rest(int first) {
        int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (first < 0xC2 || first > 0xF4 || end - position < more) {
            return MALFORMED;
        }
        int codePoint = first & (0x3F >> more);
        for (int i = 0; i < more; i++) {
            int next = buffer.getByte(position + i) & 0xFF;
            if (next >> 6 != 2) {
                return MALFORMED;
            }
            codePoint = codePoint << 6 | (next & 0x3F);
        }
        boolean overlong = (more == 2 && codePoint < 0x800) || (more == 3 && codePoint < 0x10000);
        boolean surrogate = codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
        if (overlong || surrogate || codePoint > Character.MAX_CODE_POINT) {
            return MALFORMED;
        }
        position += more;
        return codePoint;
    }
}
