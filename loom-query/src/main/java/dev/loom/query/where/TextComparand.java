package dev.loom.query.where;

import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A text to compare texts and bytes with, byte by byte in UTF-8, unsigned. */
final class TextComparand implements Comparable<TextComparand> {
    private final byte[] text;

    TextComparand(String text) {
        this.text = text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(TextComparand other) {
        return Arrays.compareUnsigned(text, other.text);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TextComparand comparand && Arrays.equals(text, comparand.text);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(text);
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

    private static boolean isText(FieldValue value) {
        return value.kind() == FieldValue.Kind.TEXT || value.kind() == FieldValue.Kind.BYTES;
    }
}
