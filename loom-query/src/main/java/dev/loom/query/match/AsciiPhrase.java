package dev.loom.query.match;

import dev.loom.query.text.TextQuery;
import dev.loom.text.TokenReader;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;

/**
 * Finds a phrase in texts of ASCII. Looks at eight places at once for the first and the last byte of its longest word, and reads on where
 * both are. Takes a time that grows with the text alone, as only where a token begins is a word compared. Immutable.
 */
final class AsciiPhrase implements AsciiMatcher.Term {
    private static final int ASCII = 0x80;
    private static final long EACH_BYTE = 0x0101010101010101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    /** What lower case adds to a letter. */
    private static final int CASE_BIT = 0x20;

    private static final int NOWHERE = -1;
    private static final byte[] LOWER = new byte[ASCII];
    private static final boolean[] PART = new boolean[ASCII];

    static {
        for (int c = 0; c < ASCII; c++) {
            LOWER[c] = (byte) Character.toLowerCase(c);
            PART[c] = TokenReader.isPart(c);
        }
    }

    private final byte[][] words;
    private final boolean prefix;
    /** The number of the word that is looked for. */
    private final int sought;

    private final int last;
    private final long firstBytes;
    private final long firstCase;
    private final long lastBytes;
    private final long lastCase;

    /** @param phrase of words of ASCII */
    AsciiPhrase(TextQuery.Phrase phrase) {
        words = phrase.tokens().stream()
                .map(token -> token.getBytes(StandardCharsets.US_ASCII))
                .toArray(byte[][]::new);
        prefix = phrase.prefix();
        sought = IntStream.range(0, words.length)
                .boxed()
                .max(Comparator.comparingInt(i -> words[i].length))
                .orElseThrow();
        byte[] word = words[sought];
        last = word.length - 1;
        firstBytes = word[0] * EACH_BYTE;
        firstCase = caseOf(word[0]);
        lastBytes = word[last] * EACH_BYTE;
        lastCase = caseOf(word[last]);
    }

    private static long caseOf(byte c) {
        return Character.isLetter(c) ? CASE_BIT * EACH_BYTE : 0;
    }

    static boolean isAscii(DirectBuffer text, int offset, int length) {
        int end = offset + length;
        int at = offset;
        long bits = 0;
        for (; at <= end - 4 * Long.BYTES; at += 4 * Long.BYTES) {
            bits |= text.getLong(at)
                    | text.getLong(at + Long.BYTES)
                    | text.getLong(at + 2 * Long.BYTES)
                    | text.getLong(at + 3 * Long.BYTES);
        }
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            bits |= text.getLong(at);
        }
        if (length >= Long.BYTES) {
            bits |= text.getLong(end - Long.BYTES); // some bytes again rather than the last ones one by one
        } else {
            for (; at < end; at++) {
                bits |= text.getByte(at);
            }
        }
        return (bits & HIGH_BITS) == 0;
    }

    @Override
    public int length() {
        return words[sought].length;
    }

    @Override
    public boolean holds(DirectBuffer text, int offset, int length) {
        int end = offset + length;
        int lastEight = end - last - Long.BYTES;
        if (lastEight < offset) {
            for (int at = offset; at < end - last; at++) {
                if (isAt(text, at, offset, end)) {
                    return true;
                }
            }
            return false;
        }
        for (int at = offset; at < lastEight; at += Long.BYTES) {
            if (isAtOneOf(places(text, at), text, at, offset, end)) {
                return true;
            }
        }
        // some places again rather than the last ones one by one
        return isAtOneOf(places(text, lastEight), text, lastEight, offset, end);
    }

    /** The high bit of each of eight bytes where the sought word's first byte is, and its last one behind, and of some others. */
    private long places(DirectBuffer text, int at) {
        long firsts = (text.getLong(at, ByteOrder.LITTLE_ENDIAN) | firstCase) ^ firstBytes;
        long lasts = (text.getLong(at + last, ByteOrder.LITTLE_ENDIAN) | lastCase) ^ lastBytes;
        long differs = firsts | lasts;
        // of each byte that is zero, and of some behind one (Mycroft, 1987)
        return (differs - EACH_BYTE) & ~differs & HIGH_BITS;
    }

    private boolean isAtOneOf(long places, DirectBuffer text, int at, int from, int end) {
        for (long left = places; left != 0; left &= left - 1) {
            if (isAt(text, at + (Long.numberOfTrailingZeros(left) >>> 3), from, end)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the phrase is in the text so that the sought word is at a place. */
    private boolean isAt(DirectBuffer text, int place, int from, int end) {
        int behind = endOf(sought, text, place, from, end);
        for (int i = sought + 1; i < words.length && behind != NOWHERE; i++) {
            while (behind < end && !PART[text.getByte(behind)]) {
                behind++;
            }
            behind = endOf(i, text, behind, from, end);
        }
        return behind != NOWHERE && isBehindOthers(text, place, from, end);
    }

    /** Whether the words before the sought one are before it. */
    private boolean isBehindOthers(DirectBuffer text, int place, int from, int end) {
        int start = place;
        for (int i = sought - 1; i >= 0; i--) {
            while (start > from && !PART[text.getByte(start - 1)]) {
                start--;
            }
            start -= words[i].length;
            if (start < from || endOf(i, text, start, from, end) == NOWHERE) {
                return false;
            }
        }
        return true;
    }

    /** Where a word ends that is at a place, as a whole token or as the beginning of one; {@link #NOWHERE} if it is not there. */
    private int endOf(int number, DirectBuffer text, int place, int from, int end) {
        byte[] word = words[number];
        int behind = place + word.length;
        if (behind > end || (place > from && PART[text.getByte(place - 1)])) {
            return NOWHERE;
        }
        for (int i = 0; i < word.length; i++) {
            if (word[i] != LOWER[text.getByte(place + i)]) {
                return NOWHERE;
            }
        }
        boolean beginning = prefix && number == words.length - 1;
        return beginning || behind == end || !PART[text.getByte(behind)] ? behind : NOWHERE;
    }
}
