package dev.loom.query.where;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * Searches texts and bytes for a text, byte by byte in UTF-8. The search skips bytes (Horspool, 1980). Where that would look
 * at the same bytes again and again, as in long runs of one byte, it switches to a linear search (Knuth, Morris and Pratt,
 * 1977), so it never looks at more than a few times the bytes there are.
 */
final class Substring implements TextFinder {
    /** Looks per byte after which skipping no longer pays. */
    private static final int LOOKS_MAX = 4;

    private static final int BYTES = 1 << Byte.SIZE;

    private final byte[] text;
    /** How far the search advances, by the byte under the last byte of the text. */
    private final int[] shifts = new int[BYTES];

    private final int[] borders;

    Substring(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        int last = this.text.length - 1;
        Arrays.fill(shifts, this.text.length);
        int[] bytes = new int[this.text.length];
        for (int i = 0; i <= last; i++) {
            bytes[i] = this.text[i];
            shifts[this.text[i] & 0xFF] = i < last ? last - i : shifts[this.text[i] & 0xFF];
        }
        borders = Borders.of(bytes);
    }

    /** The bytes as unsigned values. */
    int[] symbols() {
        int[] symbols = new int[text.length];
        for (int i = 0; i < text.length; i++) {
            symbols[i] = text[i] & 0xFF;
        }
        return symbols;
    }

    @Override
    public boolean isWithin(DirectBuffer bytes, int offset, int length) {
        int last = text.length - 1;
        if (last < 0) {
            return true;
        }
        long looksLeft = (long) length * LOOKS_MAX;
        int end = offset + length;
        for (int at = offset + last; at < end && at >= 0; ) {
            byte c = bytes.getByte(at);
            if (c == text[last]) {
                int differing = lastDiffering(bytes, at - last);
                if (differing < 0) {
                    return true;
                }
                looksLeft -= last - differing;
                if (looksLeft < 0) {
                    return isWithinByBorders(bytes, at - last, end);
                }
            }
            at += shifts[c & 0xFF];
        }
        return false;
    }

    /** The last differing byte before the text's last byte; -1 if none differs. */
    private int lastDiffering(DirectBuffer bytes, int offset) {
        int i = text.length - 2;
        while (i >= 0 && text[i] == bytes.getByte(offset + i)) {
            i--;
        }
        return i;
    }

    private boolean isWithinByBorders(DirectBuffer bytes, int offset, int end) {
        int matched = 0;
        for (int at = offset; at < end && matched < text.length; at++) {
            byte c = bytes.getByte(at);
            while (matched > 0 && text[matched] != c) {
                matched = borders[matched];
            }
            matched += text[matched] == c ? 1 : 0;
        }
        return matched == text.length;
    }
}
