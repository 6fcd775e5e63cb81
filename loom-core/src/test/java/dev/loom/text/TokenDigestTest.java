package dev.loom.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Digests are on disks, so they never change; and they tell tokens apart, those that look alike too. */
final class TokenDigestTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());

    private final Random random = new Random(SEED);

    private static long digest(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        TokenReader reader = new TokenReader();
        reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
        assertTrue(reader.next(), text);
        return TokenDigest.of(reader);
    }

    /** Computed by a program in Python. */
    @Test
    void shouldStayAsItIs() {
        Map<String, Long> pinned = new HashMap<>();
        pinned.put("a", 0x21ac8ae9a920d174L);
        pinned.put("h", 0x00097a60e570e252L);
        pinned.put("he", 0x4cd2957251769359L);
        pinned.put("her", 0xa4d04d2062fd63e0L);
        pinned.put("hero", 0xf36bc091b755c751L);
        pinned.put("error", 0x679973be977c8d14L);
        pinned.put("4bf92f3577b34da6a3ce929d0e0e4736", 0x49b4f393901f5fe5L);
        pinned.put("größe", 0xc1f77751657fec3eL);
        pinned.put("日本語", 0x4c41c3548142b4f6L);
        pinned.put("x".repeat(256), 0xee834903fe67fc44L);
        pinned.put("x".repeat(257), 0xfc9c9844dba076c8L);
        pinned.put("x".repeat(300), 0x69d367e550a82ffbL);
        pinned.forEach((text, digest) -> assertEquals(digest, digest(text), text));
    }

    @Test
    void shouldIgnoreWhatTheNormalFormIgnores() {
        assertEquals(digest("größe"), digest("GRÖSSE".replace("SS", "ẞ")));
        assertEquals(digest("é"), digest("e\u0301"));
    }

    @Test
    void shouldGiveTheDigestsOfAllPrefixesInOnePass() {
        String word = "prefixes_of_a_token_4711";
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < word.length(); i++) {
            state = TokenDigest.add(state, word.charAt(i));
            assertEquals(digest(word.substring(0, i + 1)), TokenDigest.finish(state));
        }
    }

    @Test
    void shouldTellAnagramsApartUnlikeThePapersChain() {
        Set<Long> seen = new HashSet<>();
        Set<Long> chained = new HashSet<>();
        permute("", "abcdefgh", word -> {
            seen.add(digest(word));
            chained.add(chain(word));
        });
        assertEquals(40_320, seen.size());
        assertEquals(1, chained.size());
    }

    /** The paper's digest of a word, from those of its characters (section 3.2.2): each is combined by XOR with the one before. */
    private static long chain(String word) {
        return word.chars().mapToLong(c -> digest(Character.toString(c))).reduce(0, (before, next) -> before ^ next);
    }

    private static void permute(String begin, String rest, Consumer<String> words) {
        if (rest.isEmpty()) {
            words.accept(begin);
        }
        for (int i = 0; i < rest.length(); i++) {
            permute(begin + rest.charAt(i), rest.substring(0, i) + rest.substring(i + 1), words);
        }
    }

    @Test
    void shouldTellTokensApartThatDifferInOneOrTwoPlaces() {
        String hex = "0123456789abcdef";
        String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        Map<Long, String> seen = new HashMap<>();
        for (int i = 0; i < trace.length(); i++) {
            for (int j = i + 1; j < trace.length(); j++) {
                for (int a = 1; a < 16; a++) {
                    for (int b = 0; b < 16; b++) {
                        StringBuilder variant = new StringBuilder(trace);
                        variant.setCharAt(i, hex.charAt((Character.digit(trace.charAt(i), 16) + a) % 16));
                        variant.setCharAt(j, hex.charAt((Character.digit(trace.charAt(j), 16) + b) % 16));
                        seen.put(digest(variant.toString()), variant.toString());
                    }
                }
            }
        }
        long variants = seen.values().stream().distinct().count();
        assertEquals(variants, seen.size());
        assertTrue(variants > 100_000, "variants=" + variants);
    }

    /**
     * No two of a million tokens as logs have them are equal, by 64 bits; by 32 of these, as many as of random numbers. {@code
     * -Dloom.digests=10000000} takes more.
     */
    @Test
    void shouldGiveDistinctTokensDistinctDigests() {
        System.out.println("TokenDigestTest: -Dloom.test.seed=" + SEED);
        int count = Integer.getInteger("loom.digests", 1_000_000);
        long[] digests = new long[count];
        int offset = random.nextInt(1 << 30);
        for (int i = 0; i < count; i++) {
            digests[i] = state(distinct(i, offset));
        }
        assertEquals(0, equal(digests, 0), "seed=" + SEED);
        double expected = (double) count * count / 2 / (1L << 32);
        for (int shift : new int[] {1, 11, 23, 32}) {
            // six standard deviations
            assertEquals(
                    expected, equal(digests, shift), 6 * Math.sqrt(expected) + 1, "seed=" + SEED + ", shift=" + shift);
        }
    }

    /** Another token for each number: ids, counters in decimal digits, names with a number, and paths of two numbers. */
    private static String distinct(int number, int offset) {
        long id = (number + (long) offset) / 4;
        return switch (number % 4) {
            // multiplying by an odd number loses nothing, so ids differ as numbers do
            case 0 -> "x" + Long.toHexString(id * 0xD1342543DE82EF95L);
            case 1 -> Long.toString(id);
            case 2 -> "worker_" + Long.toString(id, Character.MAX_RADIX);
            default -> "rack" + id % 1_000 + "_node" + id / 1_000;
        };
    }

    /** How often a digest equals the one before it in their order; if {@code shift} is not 0 by 32 bits from there on. */
    private static int equal(long[] digests, int shift) {
        long[] sorted = digests.clone();
        if (shift != 0) {
            for (int i = 0; i < sorted.length; i++) {
                sorted[i] = sorted[i] >>> shift & 0xFFFF_FFFFL;
            }
        }
        Arrays.sort(sorted);
        int equal = 0;
        for (int i = 1; i < sorted.length; i++) {
            equal += sorted[i] == sorted[i - 1] ? 1 : 0;
        }
        return equal;
    }

    private static long state(String token) {
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < token.length(); i++) {
            state = TokenDigest.add(state, token.charAt(i));
        }
        return TokenDigest.finish(state);
    }

    /** A bit of any code point flips each bit of the digest half of the time. */
    @Test
    void shouldSpreadEveryBit() {
        int samples = 4_000;
        for (int position = 0; position < 8; position++) {
            int[] flips = new int[Long.SIZE];
            for (int i = 0; i < samples; i++) {
                int[] codePoints = random.ints(8, 0, 1 << 16).toArray();
                long before = digest(codePoints);
                codePoints[position] ^= 1 << random.nextInt(16);
                long changed = before ^ digest(codePoints);
                for (int bit = 0; bit < Long.SIZE; bit++) {
                    flips[bit] += (int) (changed >>> bit & 1);
                }
            }
            for (int bit = 0; bit < Long.SIZE; bit++) {
                double share = (double) flips[bit] / samples;
                // more than seven standard deviations
                assertEquals(0.5, share, 0.06, "seed=" + SEED + ", position=" + position + ", bit=" + bit);
            }
        }
    }

    private static long digest(int[] codePoints) {
        long state = TokenDigest.EMPTY;
        for (int codePoint : codePoints) {
            state = TokenDigest.add(state, codePoint);
        }
        return TokenDigest.finish(state);
    }

    @Test
    void shouldTellLongTokensApartByTheirLength() {
        String longest = "x".repeat(TokenReader.LENGTH_MAX);
        assertNotEquals(digest(longest), digest(longest + "x"));
        assertNotEquals(digest(longest + "x"), digest(longest + "xx"));
        assertEquals(digest(longest + "x"), digest(longest + "y"), "further code points are not kept");
    }
}
