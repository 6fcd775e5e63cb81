package dev.loom.query.where;

import dev.loom.text.FoldedReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Searches for a text, ignoring case and the Unicode form. Looks at each character of a value at most twice (Knuth, Morris
 * and Pratt, 1977). For one thread.
 */
final class FoldedText implements TextFinder {
    private final FoldedReader reader = new FoldedReader();
    private final int[] text;
    private final int[] borders;

    FoldedText(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] folded = new int[text.length() + 1];
        int length = 0;
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        for (int c = reader.next(); c != FoldedReader.END; c = reader.next()) {
            folded = length == folded.length ? Arrays.copyOf(folded, length * 2) : folded;
            folded[length++] = c;
        }
        this.text = Arrays.copyOf(folded, length);
        borders = Borders.of(this.text);
    }

    /** The folded characters. */
    int[] symbols() {
        return text.clone();
    }

    @Override
    public boolean isWithin(DirectBuffer value, int offset, int length) {
        reader.wrap(value, offset, length);
        int matched = 0;
        while (matched < text.length) {
            int c = reader.next();
            if (c == FoldedReader.END) {
                return false;
            }
            while (matched > 0 && text[matched] != c) {
                matched = borders[matched];
            }
            matched += text[matched] == c ? 1 : 0;
        }
        return true;
    }
}
