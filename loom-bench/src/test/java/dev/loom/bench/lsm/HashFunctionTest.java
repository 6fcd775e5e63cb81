package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.text.TokenDigest;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Digests of bytes 1, 8, 15 and so on, as Commons Codec and Aircompressor give them. */
final class HashFunctionTest {
    private static final long MURMUR_SEED = 0x12345678;
    private static final long XX_SEED = 0x0123456789ABCDEFL;

    @Test
    void shouldGiveDigestsOfMurmurHash64A() {
        final long[] expected = {0xE8B51FBE4875666AL, 0x264E44F856E4868EL, 0x562D2A7EF7EDB816L, 0xCC5E04AA163C6033L};
        final long[] seeded = {0x97787CD1CCEBEC82L, 0x0AD829AF72C86287L, 0xC1AD35FC74467DE7L, 0x39BE23E32AAEB641L};
        check(HashFunction.MM64, 0, expected);
        check(HashFunction.MM64, MURMUR_SEED, seeded);
    }

    @Test
    void shouldGiveDigestsOfMurmurHash2() {
        check(HashFunction.MM, MURMUR_SEED, 0xC9D49AF9L << 32, 0xE9374805L << 32, 0xE571C7E8L << 32, 0xFBA11FEFL << 32);
    }

    @Test
    void shouldGiveDigestsOfXxHash64() {
        final long[] expected = {0xC6F1803A5E0B3222L, 0x06C3C997B7008641L, 0x5A0756FBE9ECD3D1L, 0x4856239B1E7F8962L};
        final long[] seeded = {0xB8589D7906C1F42AL, 0x0D76FBA4A445B594L, 0x201FB69D4EE0EE47L, 0x9C30EA32DF60540DL};
        check(HashFunction.XX, 0, expected);
        check(HashFunction.XX, XX_SEED, seeded);
    }

    private static void check(HashFunction function, long seed, long... expected) {
        final int[] lengths = {8, 24, 32, 512};
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(
                    Long.toHexString(expected[i]),
                    Long.toHexString(function.create().digest(key(lengths[i]), seed)),
                    function + " of " + lengths[i]);
        }
    }

    @Test
    void shouldTakeTheBeginningOfTheJdksDigests() throws Exception {
        final byte[] key = key(64);
        final KeyHash md5 = HashFunction.MD5.create();
        md5.digest(key(8), 0); // leaves nothing behind
        assertEquals(first(MessageDigest.getInstance("MD5").digest(key)), md5.digest(key, 0));
        assertEquals(
                first(MessageDigest.getInstance("SHA-256").digest(key)),
                HashFunction.SHA256.create().digest(key, 0));
        final CRC32C crc = new CRC32C();
        crc.update(key);
        assertEquals(crc.getValue() << 32, HashFunction.CRC.create().digest(key, 0));
        assertEquals(
                TokenDigest.finish(TokenDigest.add(TokenDigest.EMPTY, new UnsafeBuffer(key), 0, key.length)),
                HashFunction.TOKEN.create().digest(key, 0));
    }

    private static long first(byte[] digest) {
        return ByteBuffer.wrap(digest).getLong();
    }

    private static byte[] key(int length) {
        final byte[] key = new byte[length];
        for (int i = 0; i < length; i++) {
            key[i] = (byte) (i * 7 + 1);
        }
        return key;
    }
}
