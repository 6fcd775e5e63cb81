package dev.loom.faults;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.agrona.DirectBuffer;

/**
 * A payload that says what it must be: a function of seed, source and sequence alone, with a checksum of its own.
 *
 * <pre>
 *   0 | seed    8 | source (4), length (4)    16 | sequence    24 | CRC32 of the rest (4)    28 | filler
 * </pre>
 */
final class CheckedPayload {
    private static final int SOURCE_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int CRC_OFFSET = 24;
    private static final int FILLER_OFFSET = 28;

    private CheckedPayload() {}

    /** The length of a record: most are short, some have thousands of bytes, a few are larger than a page. */
    static int length(long seed, int source, long sequence) {
        long random = mix(seed ^ mix(sequence * 31 + source));
        int choice = (int) (random & Integer.MAX_VALUE) % 1000;
        int more = (int) (random >>> 33);
        if (choice < 4) {
            return 65_000 + more % 65_000;
        }
        return FILLER_OFFSET + (choice < 60 ? more % 8_000 : more % 120);
    }

    static byte[] make(long seed, int source, long sequence) {
        return make(seed, source, sequence, length(seed, source, sequence));
    }

    static byte[] make(long seed, int source, long sequence, int length) {
        ByteBuffer payload = ByteBuffer.allocate(length);
        payload.putLong(seed).putInt(source).putInt(length).putLong(sequence).putInt(0);
        long state = mix(seed + source * 1_000_003L + sequence);
        while (payload.hasRemaining()) {
            // in runs, so that segments can be compressed
            state = payload.position() % 8 == 0 ? mix(state) : state;
            payload.put((byte) state);
        }
        payload.putInt(CRC_OFFSET, crc(payload.array()));
        return payload.array();
    }

    private static int crc(byte[] payload) {
        CRC32 crc = new CRC32();
        crc.update(payload, 0, CRC_OFFSET);
        crc.update(payload, FILLER_OFFSET, payload.length - FILLER_OFFSET);
        return (int) crc.getValue();
    }

    /** The sequence of a payload that is exactly what it must be. */
    static long check(long seed, int source, DirectBuffer buffer, int offset, int length) {
        byte[] payload = new byte[length];
        buffer.getBytes(offset, payload);
        ByteBuffer fields = ByteBuffer.wrap(payload);
        if (length < FILLER_OFFSET
                || fields.getLong(0) != seed
                || fields.getInt(SOURCE_OFFSET) != source
                || fields.getInt(LENGTH_OFFSET) != length
                || fields.getInt(CRC_OFFSET) != crc(payload)) {
            throw new AssertionError("torn, foreign or invented record: source=" + source + ", length=" + length);
        }
        return fields.getLong(SEQUENCE_OFFSET);
    }

    private static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
