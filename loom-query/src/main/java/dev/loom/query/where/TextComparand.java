package dev.loom.query.where;

import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** A text that texts and bytes are compared with, byte by byte, unsigned, in UTF-8; and that is searched for in them. */
final class TextComparand {
    private final byte[] text;
    /** Horspool's rule: how far the search moves on, by the byte under the text's last. */
    private final int[] shifts = new int[1 << Byte.SIZE];

    TextComparand(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
        int last = this.text.length - 1;
        Arrays.fill(shifts, this.text.length);
        for (int i = 0; i < last; i++) {
            shifts[this.text[i] & 0xFF] = last - i;
        }
    }

    /** The {@link Outcome} of the value against the text. */
    int compare(FieldValue value) {
        if (!isText(value)) {
            return Outcome.NONE;
        }
        DirectBuffer bytes = value.bytes();
        int offset = value.offset();
        int length = Math.min(value.length(), text.length);
        for (int i = 0; i < length; i++) {
            int actual = bytes.getByte(offset + i) & 0xFF;
            int expected = text[i] & 0xFF;
            if (actual != expected) {
                return actual < expected ? Outcome.LESS : Outcome.GREATER;
            }
        }
        return Outcome.of(Integer.compare(value.length(), text.length));
    }

    /** Whether the value has the text somewhere within. */
    boolean isWithin(FieldValue value) {
        if (!isText(value)) {
            return false;
        }
        int last = text.length - 1;
        if (last < 0) {
            return true;
        }
        DirectBuffer bytes = value.bytes();
        int end = value.offset() + value.length();
        for (int at = value.offset() + last; at < end && at >= 0; ) {
            byte c = bytes.getByte(at);
            if (c == text[last] && matchesBefore(bytes, at - last)) {
                return true;
            }
            at += shifts[c & 0xFF];
        }
        return false;
    }

    private boolean matchesBefore(DirectBuffer bytes, int offset) {
        for (int i = text.length - 2; i >= 0; i--) {
            if (text[i] != bytes.getByte(offset + i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isText(FieldValue value) {
        return value.kind() == FieldValue.Kind.TEXT || value.kind() == FieldValue.Kind.BYTES;
    }
}
