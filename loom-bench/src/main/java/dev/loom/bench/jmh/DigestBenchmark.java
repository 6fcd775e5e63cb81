package dev.loom.bench.jmh;

import dev.loom.bench.push.ReplayedLines;
import dev.loom.text.TokenReader;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the digest of a token costs, alone and with those of its prefixes, beside XXHash64 of two libraries. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(DigestBenchmark.TOKENS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DigestBenchmark {
    static final int TOKENS = 4_096;

    private static final int SEED = 7;
    private static final String CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789_";

    /** {@code log} for the tokens of {@link ReplayedLines}, {@code mixed} for 1 to 64 random characters, or a number of these. */
    @Param({"log", "mixed", "4", "16", "64"})
    public String tokens = "log";

    /** Whose digest. */
    @Param({"RUNNING", "LZ4_JAVA", "ZERO_ALLOCATION"})
    public String hash = "RUNNING";

    private final int[] ends = new int[TOKENS];
    private TokenHash digests = TokenHash.Kind.RUNNING.of("");

    /** Makes the tokens, and compares the ways. */
    @Setup
    public void makeTokens() {
        final StringBuilder all = new StringBuilder();
        if (tokens.equals("log")) {
            readTokens(all);
        } else {
            final Random random = new Random(SEED);
            for (int i = 0; i < TOKENS; i++) {
                final int length = tokens.equals("mixed") ? 1 + random.nextInt(64) : Integer.parseInt(tokens);
                for (int j = 0; j < length; j++) {
                    all.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
                }
                ends[i] = all.length();
            }
        }
        digests = TokenHash.Kind.valueOf(hash).of(all.toString());
        check(all.toString());
        System.out.println("characters a token: " + all.length() / (double) TOKENS);
    }

    private void readTokens(StringBuilder all) {
        final ReplayedLines lines = ReplayedLines.of(TOKENS);
        final TokenReader reader = new TokenReader();
        int count = 0;
        for (int line = 0; count < TOKENS; line++) {
            reader.wrap(lines.text(), lines.offset(line), lines.length(line));
            while (count < TOKENS && reader.next()) {
                for (int i = 0; i < Math.min(reader.length(), TokenReader.LENGTH_MAX); i++) {
                    all.appendCodePoint(reader.codePoint(i));
                }
                ends[count++] = all.length();
            }
        }
    }

    /** The libraries compute the same function, and a pass over a token gives what its prefixes give one by one. */
    private void check(String all) {
        final TokenHash lz4 = TokenHash.Kind.LZ4_JAVA.of(all);
        final TokenHash zeroAllocation = TokenHash.Kind.ZERO_ALLOCATION.of(all);
        final TokenHash running = TokenHash.Kind.RUNNING.of(all);
        for (int i = 0, from = 0; i < TOKENS; from = ends[i++]) {
            long sum = running.digest(from, ends[i]);
            for (int length = 1; length <= Math.min(TokenHash.PREFIX_MAX, ends[i] - from); length++) {
                sum += running.digest(from, from + length);
            }
            if (lz4.digest(from, ends[i]) != zeroAllocation.digest(from, ends[i])
                    || running.digestWithPrefixes(from, ends[i]) != sum) {
                throw new IllegalStateException("digests differ: token=" + all.substring(from, ends[i]));
            }
        }
    }

    /** Digests a token. */
    @Benchmark
    public long word() {
        long sum = 0;
        int from = 0;
        for (final int end : ends) {
            sum += digests.digest(from, end);
            from = end;
        }
        return sum;
    }

    /** Digests a token, and its prefixes up to 8 characters. */
    @Benchmark
    public long wordAndPrefixes() {
        long sum = 0;
        int from = 0;
        for (final int end : ends) {
            sum += digests.digestWithPrefixes(from, end);
            from = end;
        }
        return sum;
    }
}
