package dev.loom.query.where;

import java.util.Arrays;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;

/**
 * Texts as a tree of their beginnings, in which a search that fails goes on with the longest beginning that it has matched
 * besides (Aho and Corasick, 1975): a text of n symbols takes at most 2 n steps, however many texts are searched for. A state is
 * a beginning; what begins with a whole text is left out, as that was found before. Immutable once made.
 */
final class TextTrie {
    /** The state before any symbol. */
    static final int ROOT = 0;

    private static final int NONE = -1;
    private static final int SYMBOLS_NEAR = 256;

    /** Where each symbol leads from the root, of those below a bound; most steps start there. */
    private final int[] first = new int[SYMBOLS_NEAR];

    /** Where a state, in the high half of a key, and a symbol in the low one lead. */
    private final Long2LongHashMap edges = new Long2LongHashMap(NONE);

    /** Of each state that with which a search goes on. */
    private final int[] fallbacks;

    private final boolean[] ends;
    private int states = 1;

    /** @param texts of symbols that are not negative */
    TextTrie(List<int[]> texts) {
        int length = texts.stream().mapToInt(text -> text.length).sum();
        boolean[] texted = new boolean[length + 1];
        int[] parents = new int[length + 1];
        int[] symbols = new int[length + 1];
        for (int[] text : texts) {
            int state = ROOT;
            for (int i = 0; i < text.length && !texted[state]; i++) {
                int next = (int) edges.get(key(state, text[i]));
                if (next == NONE) {
                    next = states++;
                    parents[next] = state;
                    symbols[next] = text[i];
                    edges.put(key(state, text[i]), next);
                }
                state = next;
            }
            texted[state] = true;
        }
        ends = Arrays.copyOf(texted, states);
        fallbacks = new int[states];
        for (int symbol = 0; symbol < SYMBOLS_NEAR; symbol++) {
            first[symbol] = Math.max(ROOT, (int) edges.get(key(ROOT, symbol)));
        }
        for (int state : byDepth(parents)) {
            if (parents[state] != ROOT) {
                fallbacks[state] = next(fallbacks[parents[state]], symbols[state]);
                ends[state] |= ends[fallbacks[state]];
            }
        }
    }

    /** All states but the root, so that a fallback, which is shorter, comes before those that have it. */
    private int[] byDepth(int[] parents) {
        int[] depths = new int[states];
        int[] counts = new int[states + 1];
        for (int state = 1; state < states; state++) {
            // a parent is made before its children
            depths[state] = depths[parents[state]] + 1;
            counts[depths[state] + 1]++;
        }
        for (int depth = 1; depth <= states; depth++) {
            counts[depth] += counts[depth - 1];
        }
        int[] order = new int[states - 1];
        for (int state = 1; state < states; state++) {
            order[counts[depths[state]]++] = state;
        }
        return order;
    }

    /** Where a symbol leads. */
    int next(int from, int symbol) {
        int state = from;
        while (state != ROOT) {
            int next = (int) edges.get(key(state, symbol));
            if (next != NONE) {
                return next;
            }
            state = fallbacks[state];
        }
        return symbol < SYMBOLS_NEAR ? first[symbol] : Math.max(ROOT, (int) edges.get(key(ROOT, symbol)));
    }

    /** Whether a whole text ends here. */
    boolean isEnd(int state) {
        return ends[state];
    }

    private static long key(int state, int symbol) {
        return (long) state << Integer.SIZE | symbol;
    }
}
