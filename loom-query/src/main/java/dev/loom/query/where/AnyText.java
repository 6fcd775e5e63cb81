package dev.loom.query.where;

import dev.loom.text.FoldedReader;
import java.util.List;
import org.agrona.DirectBuffer;

/** Searches for many texts at once, in a single pass; one match is enough. For one thread. */
final class AnyText implements TextFinder {
    private final TextTrie texts;
    private final boolean folded;
    private final FoldedReader reader = new FoldedReader();

    private AnyText(TextTrie texts, boolean folded) {
        this.texts = texts;
        this.folded = folded;
    }

    /** Searches for any of these texts, byte by byte. */
    static AnyText of(List<Substring> texts) {
        return new AnyText(new TextTrie(texts.stream().map(Substring::symbols).toList()), false);
    }

    /** Searches for any of these texts, ignoring case. */
    static AnyText ofFolded(List<FoldedText> texts) {
        return new AnyText(new TextTrie(texts.stream().map(FoldedText::symbols).toList()), true);
    }

    @Override
    public boolean isWithin(DirectBuffer value, int offset, int length) {
        return folded ? isFoldedWithin(value, offset, length) : isByteWithin(value, offset, length);
    }

    private boolean isByteWithin(DirectBuffer value, int offset, int length) {
        int state = TextTrie.ROOT;
        for (int at = offset; at < offset + length && !texts.isEnd(state); at++) {
            state = texts.next(state, value.getByte(at) & 0xFF);
        }
        return texts.isEnd(state);
    }

    private boolean isFoldedWithin(DirectBuffer value, int offset, int length) {
        reader.wrap(value, offset, length);
        int state = TextTrie.ROOT;
        int c = FoldedReader.MALFORMED;
        while (c != FoldedReader.END && !texts.isEnd(state)) {
            c = reader.next();
            state = c < 0 ? TextTrie.ROOT : texts.next(state, c);
        }
        return texts.isEnd(state);
    }
}
