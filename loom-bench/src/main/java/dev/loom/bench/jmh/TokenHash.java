package dev.loom.bench.jmh;

import dev.loom.text.TokenDigest;
import java.nio.charset.StandardCharsets;
import net.jpountz.xxhash.XXHash64;
import net.jpountz.xxhash.XXHashFactory;
import net.openhft.hashing.LongHashFunction;

/** A way to digest a run of tokens, back to back. Peers get the tokens' bytes ready made, though a tokenizer gives code points. */
abstract class TokenHash {
    /** The code points of which prefixes are digested, besides the whole token. */
    static final int PREFIX_MAX = 8;

    /** Which way it is. */
    enum Kind {
        /** Loom's, with a running state. */
        RUNNING,
        /** XXHash64 of lz4-java, in Java. */
        LZ4_JAVA,
        /** XXHash64 of lz4-java, in native code; it unpacks a library. */
        LZ4_NATIVE,
        /** XXHash64 of zero-allocation-hashing. */
        ZERO_ALLOCATION;

        TokenHash of(String tokens) {
            final byte[] bytes = tokens.getBytes(StandardCharsets.US_ASCII);
            return switch (this) {
                case RUNNING -> new Running(tokens.chars().toArray());
                case LZ4_JAVA -> new Lz4(XXHashFactory.fastestJavaInstance().hash64(), bytes);
                case LZ4_NATIVE -> new Lz4(XXHashFactory.nativeInstance().hash64(), bytes);
                case ZERO_ALLOCATION -> new ZeroAllocation(bytes);
            };
        }
    }

    /** The digest of a token. */
    abstract long digest(int from, int to);

    /** The sum of the digests of a token and its prefixes; without a running state each of them starts over. */
    long digestWithPrefixes(int from, int to) {
        long sum = digest(from, to);
        for (int end = from + 1; end <= Math.min(to, from + PREFIX_MAX); end++) {
            sum += digest(from, end);
        }
        return sum;
    }

    private static final class Running extends TokenHash {
        private final int[] codePoints;

        Running(int[] codePoints) {
            this.codePoints = codePoints;
        }

        @Override
        long digest(int from, int to) {
            long state = TokenDigest.EMPTY;
            for (int i = from; i < to; i++) {
                state = TokenDigest.add(state, codePoints[i]);
            }
            return TokenDigest.finish(state);
        }

        @Override
        long digestWithPrefixes(int from, int to) {
            long state = TokenDigest.EMPTY;
            long sum = 0;
            final int prefixed = Math.min(to, from + PREFIX_MAX);
            for (int i = from; i < prefixed; i++) {
                state = TokenDigest.add(state, codePoints[i]);
                sum += TokenDigest.finish(state);
            }
            for (int i = prefixed; i < to; i++) {
                state = TokenDigest.add(state, codePoints[i]);
            }
            return sum + TokenDigest.finish(state);
        }
    }

    private static final class Lz4 extends TokenHash {
        private final XXHash64 hash;
        private final byte[] bytes;

        Lz4(XXHash64 hash, byte[] bytes) {
            this.hash = hash;
            this.bytes = bytes;
        }

        @Override
        long digest(int from, int to) {
            return hash.hash(bytes, from, to - from, 0);
        }
    }

    private static final class ZeroAllocation extends TokenHash {
        private static final LongHashFunction XX = LongHashFunction.xx();

        private final byte[] bytes;

        ZeroAllocation(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        long digest(int from, int to) {
            return XX.hashBytes(bytes, from, to - from);
        }
    }
}
