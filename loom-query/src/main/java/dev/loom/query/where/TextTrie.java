package dev.loom.query.where;

import java.util.Arrays;
import java.util.List;
import org.agrona.collections.Long2LongHashMap;

/**
 * Texts as a tree of their prefixes (Aho and Corasick, 1975). When a symbol doesn't match, a search falls back to the
 * longest other prefix that it has matched. A text of n symbols takes at most 2 n steps, whatever the number of texts. Each
 * state is a prefix; texts that begin with another whole text are left out, as the shorter one is found first. Immutable.
 */
final class TextTrie {
    /** The state before any symbol. */
    static final int ROOT = 0;

    private static final int NONE = -1;
    private static final int SYMBOLS_NEAR = 256;

    /** The state that each small symbol leads to from the root; most steps start there. */
    private final int[] first = new int[SYMBOLS_NEAR];

    /** Maps a state, the high half of a key, and a symbol, the low half, to the next state. */
    private final Long2LongHashMap edges = new Long2LongHashMap(NONE);

    /** For each state, the state to fall back to. */
    private final int[] fallbacks;

    private final boolean[] ends;
    private int states = 1;

    /** @param texts symbols, none of them negative */
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

    /** All states except the root, by depth: a fallback is shorter, so it comes before the states that use it. */
    private int[] byDepth(int[] parents) {
        int[] depths = new int[states];
        int[] counts = new int[states + 1];
        for (int state = 1; state < states; state++) {
            // a parent is created before its children
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

    /** The state that a symbol leads to. */
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
