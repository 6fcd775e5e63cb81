package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decompresses Zstandard (RFC 8878, all frames, no dictionaries) from one region into another. What is decoded serves as the
 * window itself, so a frame's demand for a large one costs nothing. How long a frame becomes at most is known from its headers
 * before anything is decoded.
 *
 * <p>Reused; not safe for use by several threads at once.
 */
final class ZstdDecoder {
    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
    private static final int BLOCK_HEADER_LENGTH = 3;
    private static final int BLOCK_LENGTH_MAX = 128 << 10;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int RUN = 1;
    private static final int COMPRESSED = 2;

    private final ZstdDecompressor decompressor = new ZstdDecompressor();
    private boolean lengthKnown;
    private long lengthMax;

    /**
     * Decodes a body.
     *
     * @param encoded from position to limit
     * @param decoded takes the bytes
     * @throws RefusalException when they are no Zstandard, too many, or there is no room
     */
    void decode(ByteBuffer encoded, Region decoded, DecodeLimits limits) throws RefusalException {
        ByteBuffer in = encoded.order(ByteOrder.LITTLE_ENDIAN);
        int encodedLength = in.remaining();
        int allowed = limits.allowed(encodedLength);
        if (encodedLength == 0) {
            throw malformed("is empty");
        }
        while (in.hasRemaining()) {
            int start = in.position();
            boolean skippable = skipFrame(in);
            if (skippable) {
                continue;
            }
            int end = in.position();
            int room = (int) Math.min(lengthMax, allowed - decoded.length());
            if (!decoded.ensure(room, decoded.length() + room)) {
                throw new RefusalException(InFlightBudget.NO_ROOM);
            }
            ByteBuffer out = decoded.unfilled();
            out.limit(out.position() + room);
            int before = out.position();
            try {
                decompressor.decompress(in.duplicate().position(start).limit(end), out);
            } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
                throw room < lengthMax ? limits.exceeded(encodedLength) : malformed(String.valueOf(e.getMessage()));
            }
            int length = out.position() - before;
            if (lengthKnown && length != lengthMax) {
                throw malformed("length differs");
            }
            decoded.fill(length);
        }
    }

    /** Moves behind a frame, and notes the most that it decodes to. */
    private boolean skipFrame(ByteBuffer in) throws RefusalException {
        int magic = (int) read(in, Integer.BYTES);
        if ((magic & SKIPPABLE_MASK) == SKIPPABLE_MAGIC) {
            skip(in, read(in, Integer.BYTES));
            return true;
        }
        if (magic != FRAME_MAGIC) {
            throw malformed("is not zstd");
        }
        int descriptor = (int) read(in, 1);
        boolean singleSegment = (descriptor & 1 << 5) != 0;
        boolean checksum = (descriptor & 1 << 2) != 0;
        int dictionaryIdCode = descriptor & 3;
        int contentLengthCode = descriptor >>> 6;
        if (dictionaryIdCode != 0) {
            throw malformed("needs a dictionary");
        }
        if (!singleSegment) {
            skip(in, 1);
        }
        lengthKnown = contentLengthCode != 0 || singleSegment;
        long declared = lengthKnown ? read(in, 1 << contentLengthCode) + (contentLengthCode == 1 ? 256 : 0) : 0;
        lengthMax = skipBlocks(in);
        if (lengthKnown) {
            if (declared < 0 || declared > lengthMax) {
                throw malformed("length is out of range");
            }
            lengthMax = declared;
        }
        if (checksum) {
            skip(in, CHECKSUM_LENGTH);
        }
        return false;
    }

    private static long skipBlocks(ByteBuffer in) throws RefusalException {
        long decodedMax = 0;
        boolean last = false;
        while (!last) {
            int header = (int) read(in, BLOCK_HEADER_LENGTH);
            last = (header & 1) != 0;
            int type = (header >>> 1) & 3;
            int length = header >>> 3;
            if (type > COMPRESSED || length > BLOCK_LENGTH_MAX) {
                throw malformed("block is out of range");
            }
            decodedMax += type == COMPRESSED ? BLOCK_LENGTH_MAX : length;
            skip(in, type == RUN ? 1 : length);
        }
        return decodedMax;
    }

    private static long read(ByteBuffer in, int bytes) throws RefusalException {
        if (in.remaining() < bytes) {
            throw malformed("ends early");
        }
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value |= (in.get() & 0xFFL) << (8 * i);
        }
        return value;
    }

    private static void skip(ByteBuffer in, long count) throws RefusalException {
        if (in.remaining() < count) {
            throw malformed("ends early");
        }
        in.position(in.position() + (int) count);
    }

    private static RefusalException malformed(String what) {
        return new RefusalException(Reason.MALFORMED, "request can't be decompressed: encoding=zstd, why=" + what);
    }
}
