package dev.loom.text;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the characters of UTF-8 texts in a normal form. They are case-folded and composed (NFC), so that é is one
 * character whether it was written as one or as e and an accent. Variation selectors are left out. Characters beyond
 * {@link AssignedCharacters} stay as they are. Reading allocates nothing except for characters that are not composed yet.
 * For one thread.
 */
public final class FoldedReader {
    /** Returned after the last character. */
    public static final int END = -1;

    /** Returned in place of a character, for a byte that is not UTF-8. */
    public static final int MALFORMED = -2;

    /** No character below this one composes with the character before it. */
    private static final int JOINING_MIN = 0x300;

    /** The first UTF-8 byte of {@link #JOINING_MIN}, as a signed byte. */
    private static final byte JOINING_LEAD_MIN = (byte) 0xCC;

    /** The most characters composed at once; further marks are read on their own. */
    private static final int SEGMENT_MAX = 64;

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int position;
    private int end;

    private @Nullable StringBuilder segment;
    private int[] pending = {};
    private int pendingAt;
    private int pendingCount;

    /** Makes a reader without a text. */
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

    /** Reads the next character. Returns its folded form, {@link #MALFORMED}, or {@link #END} after the last. */
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
            if (!AssignedCharacters.contains(codePoint)) {
                return codePoint;
            }
            if (isComposed(codePoint) && !joins()) {
                return fold(codePoint);
            }
            compose(codePoint);
        }
    }

    /**
     * The offset of the next character; {@link #end()} after the last. Not defined while composed characters are
     * pending.
     */
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

    /** Whether composed characters from before the position are pending. */
    boolean hasPending() {
        return pendingAt < pendingCount;
    }

    /** The folded form of a character, in which upper and lower case are the same. */
    static int fold(int codePoint) {
        return Character.toLowerCase(Character.toUpperCase(codePoint));
    }

    /** Whether a character is a mark, which belongs to the previous character. */
    static boolean isMark(int codePoint) {
        if (codePoint < JOINING_MIN || !AssignedCharacters.contains(codePoint)) {
            return false;
        }
        int type = Character.getType(codePoint);
        return type == Character.NON_SPACING_MARK
                || type == Character.COMBINING_SPACING_MARK
                || type == Character.ENCLOSING_MARK;
    }

    /**
     * Whether a character may compose with the previous one: a mark, or a vowel or final consonant of a Hangul
     * syllable.
     */
    static boolean isJoining(int codePoint) {
        return isMark(codePoint) || (codePoint >= 0x1160 && codePoint <= 0x11FF);
    }

    /** Whether a character alone is certainly its own composed form; a test compares this with the JDK's tables. */
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

    /** Whether a character with this first byte may join the previous one. */
    static boolean mayJoin(int first) {
        return first < 0 && first >= JOINING_LEAD_MIN;
    }

    /** Whether the next character joins the previous one. */
    private boolean joins() {
        if (position == end || !mayJoin(buffer.getByte(position))) {
            return false;
        }
        int at = position;
        int codePoint = read();
        position = at;
        return codePoint >= 0 && isJoining(codePoint);
    }

    /** Composes a character with those that join it, and keeps the result. */
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
        // an upper-case letter may have a composed form where its lower-case letter does not
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

    /** Reads a character, or an invalid byte as {@link #MALFORMED}. */
    private int read() {
        int first = buffer.getByte(position++);
        return first >= 0 ? first : rest(first & 0xFF);
    }

    /** Reads the rest of a character of several bytes; {@link #MALFORMED}, without advancing, if it is invalid. */
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
