package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Words of which a text must have one to match a query. Looks for their bytes (Horspool, 1980), so that the tokens of most texts that do not
 * match need not be read. Knows only texts and words of ASCII, where folding changes nothing but case. Immutable.
 */
final class RequiredWords {
    /** Beyond so many, reading the tokens is as fast. */
    private static final int WORDS_MAX = 4;

    /** Looks per byte after which skipping no longer pays. */
    private static final int LOOKS_MAX = 4;

    private static final int ASCII = 0x80;
    private static final long NOT_ASCII = 0x8080808080808080L;
    private static final byte[] LOWER = new byte[ASCII];

    static {
        for (int c = 0; c < ASCII; c++) {
            LOWER[c] = (byte) Character.toLowerCase(c);
        }
    }

    private final byte[][] words;
    /** By word: how far the search advances, by the byte under the word's last byte. */
    private final int[][] shifts;

    private RequiredWords(List<String> of) {
        words = new byte[of.size()][];
        shifts = new int[of.size()][ASCII];
        for (int i = 0; i < words.length; i++) {
            byte[] word = new byte[of.get(i).length()];
            Arrays.fill(shifts[i], word.length);
            for (int j = 0; j < word.length; j++) {
                word[j] = (byte) of.get(i).charAt(j);
                if (j < word.length - 1) {
                    shifts[i][word[j]] = word.length - 1 - j;
                }
            }
            words[i] = word;
        }
    }

    /** Those of a query; null if there are none, or too many. */
    static @Nullable RequiredWords of(TextQuery query) {
        List<String> words = words(query);
        return words.isEmpty() || words.size() > WORDS_MAX ? null : new RequiredWords(words);
    }

    /** Folded words of which every match has one; none if that is not known. */
    private static List<String> words(TextQuery query) {
        if (query instanceof TextQuery.And and) {
            return and.terms().stream()
                    .map(RequiredWords::words)
                    .filter(words -> !words.isEmpty())
                    .min(Comparator.comparingInt(List<String>::size).thenComparingInt(RequiredWords::lengthNegated))
                    .orElse(List.of());
        } else if (query instanceof TextQuery.Or or) {
            List<List<String>> each =
                    or.terms().stream().map(RequiredWords::words).toList();
            return each.contains(List.of())
                    ? List.of()
                    : each.stream().flatMap(List::stream).distinct().toList();
        } else if (query instanceof TextQuery.Phrase phrase) {
            return phrase.tokens().stream()
                    .filter(token -> token.chars().allMatch(c -> c < ASCII))
                    .max(Comparator.comparingInt(String::length))
                    .map(List::of)
                    .orElse(List.of());
        }
        return List.of();
    }

    private static int lengthNegated(List<String> words) {
        return -words.stream().mapToInt(String::length).min().orElse(0);
    }

    /** Whether the text at {@code [offset, offset + length)} may have one of the words; false is certain. */
    boolean mayBeIn(DirectBuffer text, int offset, int length) {
        if (!isAscii(text, offset, length)) {
            return true;
        }
        for (int i = 0; i < words.length; i++) {
            if (mayBeIn(text, offset, length, words[i], shifts[i])) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAscii(DirectBuffer text, int offset, int length) {
        int end = offset + length;
        int at = offset;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            if ((text.getLong(at) & NOT_ASCII) != 0) {
                return false;
            }
        }
        for (; at < end; at++) {
            if (text.getByte(at) < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean mayBeIn(DirectBuffer text, int offset, int length, byte[] word, int[] shifts) {
        int last = word.length - 1;
        long looksLeft = (long) length * LOOKS_MAX;
        int end = offset + length;
        for (int at = offset + last; at < end && looksLeft >= 0; ) {
            int c = LOWER[text.getByte(at)];
            if (c == word[last]) {
                int i = last - 1;
                while (i >= 0 && word[i] == LOWER[text.getByte(at - last + i)]) {
                    i--;
                }
                if (i < 0) {
                    return true;
                }
                looksLeft -= last - i;
            }
            at += shifts[c];
        }
        return looksLeft < 0; // the tokens are read in one pass, whatever they are
    }
}
