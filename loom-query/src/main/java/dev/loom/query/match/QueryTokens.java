package dev.loom.query.match;

import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a query, and the phrases that contain them. Tokens and prefixes are found by the state of their digest, which is
 * computed along a token of the text, so each code point is looked at once. For one thread.
 */
final class QueryTokens {
    /** A token or a prefix, the phrases that contain it, and its positions there. */
    private static final class Entry {
        private final int[] codePoints;
        private final List<PhraseMatcher> phrases = new ArrayList<>();
        private final List<Long> masks = new ArrayList<>();
        private PhraseMatcher[] uses = {};
        private long[] useMasks = {};
        private @Nullable Entry sameSlot;

        Entry(String token) {
            codePoints = token.codePoints().toArray();
        }

        void add(PhraseMatcher phrase, int i) {
            int last = phrases.size() - 1;
            if (last >= 0 && phrases.get(last) == phrase) {
                masks.set(last, masks.get(last) | 1L << i);
            } else {
                phrases.add(phrase);
                masks.add(1L << i);
            }
        }

        int take(long token, long text) {
            int found = 0;
            for (int i = 0; i < uses.length; i++) {
                found += uses[i].take(token, text, useMasks[i]) ? 1 : 0;
            }
            return found;
        }
    }

    /** Entries by hash. */
    private static final class Table {
        private final Map<String, Entry> entries = new HashMap<>();
        private final boolean[] lengths = new boolean[TokenReader.LENGTH_MAX + 1];
        private int lengthMax;
        private long firsts;
        private Entry[] slots = {};

        void add(String token, PhraseMatcher phrase, int i) {
            entries.computeIfAbsent(token, Entry::new).add(phrase, i);
        }

        void prepare() {
            slots = new Entry[Integer.highestOneBit(Math.max(1, entries.size())) * 4];
            for (Entry entry : entries.values()) {
                entry.uses = entry.phrases.toArray(PhraseMatcher[]::new);
                entry.useMasks = entry.masks.stream().mapToLong(Long::longValue).toArray();
                int length = entry.codePoints.length;
                lengths[length] = true;
                lengthMax = Math.max(lengthMax, length);
                firsts |= 1L << entry.codePoints[0];
                long state = TokenDigest.EMPTY;
                for (int codePoint : entry.codePoints) {
                    state = TokenDigest.add(state, codePoint);
                }
                int slot = slot(state);
                entry.sameSlot = slots[slot];
                slots[slot] = entry;
            }
        }

        /** Whether a token with this first code point may equal, or begin with, an entry. */
        boolean mayHave(int first) {
            return (firsts >>> first & 1) != 0;
        }

        boolean hasLength(int length) {
            return length <= lengthMax && lengths[length];
        }

        @Nullable
        Entry find(long state, int length, TokenReader token) {
            Entry entry = slots[slot(state)];
            while (entry != null && !(entry.codePoints.length == length && token.beginsWith(entry.codePoints))) {
                entry = entry.sameSlot;
            }
            return entry;
        }

        private int slot(long state) {
            return (int) state & (slots.length - 1);
        }
    }

    private final Table whole = new Table();
    private final Table beginnings = new Table();

    /** Adds the tokens of a phrase. */
    void add(PhraseMatcher phrase) {
        for (int i = 0; i < phrase.tokens().size(); i++) {
            (phrase.isPrefix(i) ? beginnings : whole).add(phrase.tokens().get(i), phrase, i);
        }
    }

    /** Builds the tables once all phrases are added. */
    void prepare() {
        whole.prepare();
        beginnings.prepare();
    }

    /**
     * Takes a token of a text.
     *
     * @return the number of phrases found for the first time
     */
    int take(TokenReader reader, long token, long text) {
        int length = reader.length();
        int first = reader.codePoint(0);
        boolean mayBe = whole.hasLength(length) && whole.mayHave(first);
        int hashed = mayBe ? length : beginnings.mayHave(first) ? Math.min(length, beginnings.lengthMax) : 0;
        int found = 0;
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < hashed; i++) {
            state = TokenDigest.add(state, reader.codePoint(i));
            if (beginnings.hasLength(i + 1)) {
                found += take(beginnings.find(state, i + 1, reader), token, text);
            }
        }
        return mayBe ? found + take(whole.find(state, length, reader), token, text) : found;
    }

    private static int take(@Nullable Entry entry, long token, long text) {
        return entry == null ? 0 : entry.take(token, text);
    }
}
