package dev.loom.bench.search;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

/**
 * A log of any length, made of the lines of real logs, as a collector would write it: each line has a time and an id of its own, and
 * the name of one of eight hosts. The same seed gives the same log.
 *
 * <pre>
 *     2026-01-01T00:00:00.000412Z node3 9e3779b97f4a7c15 Jun 14 15:16:01 combo sshd(pam_unix)[19939]: authentication failure; ...
 * </pre>
 *
 * <p>The recipe:
 *
 * <ul>
 *   <li>Line {@code i} has the time {@code 1000 i} plus 0 to 999 microseconds, so times grow and differ. What follows the second is
 *       a word that one line of a million has.
 *   <li>Its id is a permutation of 64-bit numbers, applied to {@code i}: ids differ, and look random.
 *   <li>Its text comes from one of the files, taken at random, whose lines follow one another, again from the first one after the
 *       last. So lines beside each other come from several programs, each in its order.
 * </ul>
 *
 * <p>With the six logs that the project measures with, a line has 174 bytes.
 */
final class LogReplica {
    static final int HOSTS = 8;
    static final int ID_LENGTH = 16;

    /** Where a line's id is. */
    static final int ID_OFFSET = "2026-01-01T00:00:00.000000Z node0 ".length();

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int MICROS_A_LINE = 1_000;
    static final int MICROS = 1_000_000;

    /** The lines that chance chooses may be a little shorter than all of them. */
    private static final double MARGIN = 1.001;

    private final LogCorpus corpus;
    private final byte[][][] texts;
    private final long seed;

    LogReplica(LogCorpus corpus, long seed) {
        this.corpus = corpus;
        this.seed = seed;
        texts = new byte[corpus.files()][][];
        for (int file = 0; file < texts.length; file++) {
            texts[file] = corpus.lines(file).stream()
                    .map(line -> line.getBytes(StandardCharsets.US_ASCII))
                    .toArray(byte[][]::new);
        }
    }

    /** Takes the lines as they are written. */
    @FunctionalInterface
    interface LineHandler {
        /**
         * One line.
         *
         * @param number from 0 on
         * @param text the number of its text in the corpus
         */
        void onLine(long number, int host, int text);
    }

    /** How many lines have this number of bytes together, or a little more. */
    long linesOf(long bytes) {
        double length = ID_OFFSET + ID_LENGTH + 2;
        for (byte[][] file : texts) {
            length +=
                    Arrays.stream(file).mapToInt(text -> text.length).average().orElseThrow() / texts.length;
        }
        return (long) Math.ceil(bytes * MARGIN / length);
    }

    /** Writes the log, with this number of lines. */
    void write(long lines, OutputStream out, LineHandler handler) throws IOException {
        final Random random = new Random(seed);
        final int[] next = new int[texts.length];
        long second = -1;
        String date = "";
        for (long number = 0; number < lines; number++) {
            final int file = random.nextInt(texts.length);
            final int host = random.nextInt(HOSTS);
            final int line = next[file];
            next[file] = line + 1 == texts[file].length ? 0 : line + 1;
            if (second(number) != second) {
                second = second(number);
                date = START.plusSeconds(second).toString().replace('Z', '.');
            }
            final String head = date + microsWord(number) + ' ' + host(host) + ' ' + id(number) + ' ';
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            out.write(texts[file][line]);
            out.write('\n');
            handler.onLine(number, host, corpus.number(file, line));
        }
    }

    private long micros(long number) {
        return number * MICROS_A_LINE + Math.floorMod(mix(number ^ ~seed), MICROS_A_LINE);
    }

    private long second(long number) {
        return micros(number) / MICROS;
    }

    /** The microseconds of the time of a line, 0 to 999,999. */
    int microsOfSecond(long number) {
        return (int) (micros(number) % MICROS);
    }

    /** The word of a line's time that a line of a million has. */
    String microsWord(long number) {
        return microsText(microsOfSecond(number));
    }

    private static String microsText(int micros) {
        final char[] word = new char[7];
        word[6] = 'Z';
        int left = micros;
        for (int i = 5; i >= 0; i--) {
            word[i] = (char) ('0' + left % 10);
            left /= 10;
        }
        return new String(word);
    }

    /** The id of a line; also of lines beyond the last, which no line has. */
    String id(long number) {
        return hex(idNumber(number));
    }

    long idNumber(long number) {
        return mix(number + (seed << 40));
    }

    static String hex(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    static String host(int host) {
        return "node" + host;
    }

    static boolean isHost(String word) {
        return word.matches("node[0-9]");
    }

    /** A permutation: SplitMix64's. */
    private static long mix(long number) {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
