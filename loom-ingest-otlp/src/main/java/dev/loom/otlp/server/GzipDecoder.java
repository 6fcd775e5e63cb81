package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompresses gzip (RFC 1952, all members), checking the limits between steps.
 *
 * <p>Reused; not thread-safe.
 */
final class GzipDecoder implements AutoCloseable {
    /** The room requested per step, in bytes; keeps hostile input from requesting many small ones. */
    static final int STEP = 4096;

    private static final int MAGIC_AND_DEFLATE = 0x08_8B_1F;
    private static final int FIXED_HEADER_LENGTH = 10;
    private static final int TRAILER_LENGTH = 8;
    private static final int HEADER_CRC = 1 << 1;
    private static final int EXTRA = 1 << 2;
    private static final int NAME = 1 << 3;
    private static final int COMMENT = 1 << 4;
    private static final int RESERVED = 0xE0;

    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();

    /**
     * Decodes a body.
     *
     * @param in the encoded bytes
     * @param out takes the decoded bytes; empty
     * @throws RefusalException if it is not gzip, is too large, or there is no room
     */
    void decode(ByteBuffer in, Region out, DecodeLimits limits) throws RefusalException {
        int start = in.position();
        in.order(ByteOrder.LITTLE_ENDIAN);
        do {
            skipHeader(in);
            inflater.reset();
            crc.reset();
            int before = out.length();
            inflate(in, start, out, limits);
            if (in.remaining() < TRAILER_LENGTH) {
                throw malformed("ends early");
            }
            if (in.getInt() != (int) crc.getValue() || in.getInt() != out.length() - before) {
                throw malformed("checksum or length differs");
            }
        } while (in.hasRemaining());
    }

    private void inflate(ByteBuffer in, int start, Region out, DecodeLimits limits) throws RefusalException {
        while (!inflater.finished()) {
            // One byte more than allowed shows that there are too many.
            int most = limits.allowed(in.position() - start) + 1 - out.length();
            out.require(Math.min(STEP, most));
            ByteBuffer room = out.unfilled();
            room.limit(Math.min(room.limit(), room.position() + most)).mark();
            inflater.setInput(in);
            int count;
            try {
                count = inflater.inflate(room);
            } catch (DataFormatException e) {
                throw malformed(String.valueOf(e.getMessage()));
            }
            if (count == 0 && !inflater.finished()) {
                throw malformed(inflater.needsDictionary() ? "needs a dictionary" : "ends early");
            }
            crc.update(room.limit(room.position()).reset());
            out.written(count);
            // The limit applies to the input read so far, so a bomb costs no more than its beginning.
            int encodedLength = in.position() - start;
            if (out.length() > limits.allowed(encodedLength)) {
                throw limits.exceeded(encodedLength);
            }
        }
    }

    private static void skipHeader(ByteBuffer in) throws RefusalException {
        if (in.remaining() < FIXED_HEADER_LENGTH) {
            throw malformed("ends early");
        }
        int start = in.getInt(in.position());
        int flags = start >>> 24;
        if ((start & 0xFF_FF_FF) != MAGIC_AND_DEFLATE || (flags & RESERVED) != 0) {
            throw malformed("is not gzip");
        }
        skip(in, FIXED_HEADER_LENGTH);
        if ((flags & EXTRA) != 0) {
            if (in.remaining() < Short.BYTES) {
                throw malformed("ends early");
            }
            skip(in, Short.toUnsignedInt(in.getShort()));
        }
        if ((flags & NAME) != 0) {
            skipText(in);
        }
        if ((flags & COMMENT) != 0) {
            skipText(in);
        }
        if ((flags & HEADER_CRC) != 0) {
            skip(in, Short.BYTES);
        }
    }

    private static void skipText(ByteBuffer in) throws RefusalException {
        do {
            if (!in.hasRemaining()) {
                throw malformed("ends early");
            }
        } while (in.get() != 0);
    }

    private static void skip(ByteBuffer in, int count) throws RefusalException {
        if (in.remaining() < count) {
            throw malformed("ends early");
        }
        in.position(in.position() + count);
    }

    private static RefusalException malformed(String what) {
        return new RefusalException(Reason.MALFORMED, "request can't be decompressed: encoding=gzip, reason=" + what);
    }

    @Override
    public void close() {
        inflater.end();
    }
}
