package dev.loom.bench.lsm;

import dev.loom.text.TokenDigest;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32C;

/**
 * Hash functions of keys. Those of 32 bits give the upper half of a digest, of which filters use the upper bits. The paper's CITY
 * is not among them; in its place is the digest that this project's filters share, which takes a byte at a time.
 */
public enum HashFunction {
    /** MurmurHash2, 32 bits. */
    MM,
    /** MurmurHash64A, which trees use. */
    MM64,
    /** XXH64. */
    XX,
    /** MD5 of the JDK, first 8 bytes; has no seed. */
    MD5,
    /** SHA-256 of the JDK, first 8 bytes; has no seed. */
    SHA256,
    /** CRC-32C of the JDK, 32 bits; has no seed. */
    CRC,
    /** {@link TokenDigest}, of bytes. */
    TOKEN;

    /** The function, for one thread. */
    public KeyHash create() {
        return switch (this) {
            case MM -> (key, seed) -> (long) Murmur.hash32(key, (int) seed) << Integer.SIZE;
            case MM64 -> Murmur::hash64;
            case XX -> XxHash::hash64;
            case MD5 -> new CryptographicHash("MD5");
            case SHA256 -> new CryptographicHash("SHA-256");
            case CRC -> new Checksum();
            case TOKEN -> HashFunction::token;
        };
    }

    private static long token(byte[] key, long seed) {
        long state = TokenDigest.EMPTY ^ seed;
        for (final byte b : key) {
            state = TokenDigest.add(state, b & 0xFF);
        }
        return TokenDigest.finish(state);
    }

    private static final class Checksum implements KeyHash {
        private final CRC32C crc = new CRC32C();

        @Override
        public long digest(byte[] key, long seed) {
            crc.reset();
            crc.update(key, 0, key.length);
            return crc.getValue() << Integer.SIZE;
        }
    }

    private static final class CryptographicHash implements KeyHash {
        private final MessageDigest hash;
        private final byte[] result;
        private final ByteBuffer first;

        private CryptographicHash(String name) {
            try {
                hash = MessageDigest.getInstance(name);
            } catch (final NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
            result = new byte[hash.getDigestLength()];
            first = ByteBuffer.wrap(result);
        }

        @Override
        public long digest(byte[] key, long seed) {
            try {
                hash.update(key);
                hash.digest(result, 0, result.length);
            } catch (final DigestException e) {
                throw new IllegalStateException(e);
            }
            return first.getLong(0);
        }
    }
}
