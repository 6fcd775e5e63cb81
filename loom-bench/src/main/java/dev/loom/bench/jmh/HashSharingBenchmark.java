package dev.loom.bench.jmh;

import dev.loom.filter.TokenFilter;
import dev.loom.text.TokenDigest;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What one digest shared by all filters that a word is sought in saves, beside the same filters with a digest for each. A query asks
 * all filters for a word that hardly any has. {@link #testsAlone} takes ready digests: what a query costs more than that is the hash's
 * part.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class HashSharingBenchmark {
    /** The first size that a unit's filter gets. */
    private static final int SIZE_BITS = 12;

    /** A unit ends once its words leave this number of bytes of its filter for each. */
    private static final int BYTES_A_WORD = 4;

    private static final int QUERIES = 1 << 10;
    private static final int SEED = 7;

    /** The filters that a query asks: levels of a tree, or units. */
    @Param({"1", "2", "4", "8", "100", "1000", "10000"})
    public int filters;

    /** The code points of a word. */
    @Param("16")
    public int length;

    private final long[] digests = new long[QUERIES];
    private TokenFilter[] all = {};
    private int[] codePoints = {};
    private int query;

    /** Fills the filters, and makes the words. */
    @Setup
    public void fill() {
        final Random random = new Random(SEED);
        all = new TokenFilter[filters];
        for (int i = 0; i < filters; i++) {
            all[i] = new TokenFilter(SIZE_BITS);
            for (int word = (1 << SIZE_BITS) / BYTES_A_WORD; word > 0; word--) {
                all[i].add(random.nextLong());
            }
        }
        codePoints = random.ints((long) QUERIES * length, '0', 'z').toArray();
        for (int i = 0; i < QUERIES; i++) {
            digests[i] = digest(i);
        }
        for (int i = 0; i < QUERIES; i++) {
            query = i;
            final int found = shared();
            query = i;
            final int again = digestForEach();
            query = i;
            if (found != again || found != testsAlone()) {
                throw new IllegalStateException("answers differ: query=" + i);
            }
        }
    }

    private int next() {
        query = (query + 1) % QUERIES;
        return query;
    }

    private long digest(int word) {
        long state = TokenDigest.EMPTY;
        for (int i = word * length; i < (word + 1) * length; i++) {
            state = TokenDigest.add(state, codePoints[i]);
        }
        return TokenDigest.finish(state);
    }

    /** A query that shares its word's digest among the filters. */
    @Benchmark
    public int shared() {
        final long digest = digest(next());
        int found = 0;
        for (final TokenFilter filter : all) {
            found += filter.mayContain(digest) ? 1 : 0;
        }
        return found;
    }

    /** The same with a digest for each filter. */
    @Benchmark
    public int digestForEach() {
        final int word = next();
        int found = 0;
        for (final TokenFilter filter : all) {
            found += filter.mayContain(digest(word)) ? 1 : 0;
        }
        return found;
    }

    /** The same with a digest that was there before. */
    @Benchmark
    public int testsAlone() {
        final long digest = digests[next()];
        int found = 0;
        for (final TokenFilter filter : all) {
            found += filter.mayContain(digest) ? 1 : 0;
        }
        return found;
    }
}
