package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decompresses Zstandard (RFC 8878, all frames, no dictionaries). The output itself serves as the window, so a frame that
 * demands a large window costs nothing. The headers of a frame and of its blocks give its greatest decoded length before
 * anything is decoded.
 *
 * <p>Reused; not thread-safe.
 */
final class ZstdDecoder {
    private static final int BLOCK_LENGTH_MAX = 128 << 10;

    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
    private static final int BLOCK_HEADER_LENGTH = 3;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int RUN = 1;
    private static final int COMPRESSED = 2;
    /** Of the literals in a compressed block: coded by a tree of their own, by that of the block before. */
    private static final int LITERALS_TREE = 2;

    private static final int LITERALS_TREELESS = 3;

    private final ZstdDecompressor decompressor = new ZstdDecompressor();
    private boolean lengthKnown;
    /** The greatest decoded length of the current frame. */
    private long lengthMax;

    /**
     * Decodes a body.
     *
     * @param in the encoded bytes
     * @param out takes the decoded bytes; empty
     * @throws RefusalException if it is not Zstandard, is too large, or there is no room
     */
    void decode(ByteBuffer in, Region out, DecodeLimits limits) throws RefusalException {
        int encodedLength = in.remaining();
        in.order(ByteOrder.LITTLE_ENDIAN);
        do {
            int most = limits.allowed(encodedLength) - out.length();
            ByteBuffer frame = in.duplicate();
            if (!skipFrame(in)) {
                if (most == 0 && lengthMax > 0) {
                    throw limits.exceeded(encodedLength);
                }
                out.require((int) Math.min(lengthMax, most));
                if (!decodeFrame(frame.limit(in.position()), out, most)) {
                    throw limits.exceeded(encodedLength);
                }
            }
        } while (in.hasRemaining());
    }

    /** Decodes a frame; false if there are more bytes than are allowed. */
    private boolean decodeFrame(ByteBuffer frame, Region out, int most) throws RefusalException {
        ByteBuffer room = out.unfilled();
        int start = room.position();
        room.limit(start + (int) Math.min(lengthMax, most));
        try {
            decompressor.decompress(frame, room);
        } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
            if (most < lengthMax) {
                return false;
            }
            throw malformed(String.valueOf(e.getMessage()));
        }
        int length = room.position() - start;
        if (lengthKnown && length != lengthMax) {
            throw malformed("length differs");
        }
        out.written(length);
        return true;
    }

    /** Skips a frame, and notes its greatest decoded length; returns whether it is one to be skipped. */
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
            skip(in, 1); // the size of the window
        }
        lengthKnown = contentLengthCode != 0 || singleSegment;
        long declared = lengthKnown ? read(in, 1 << contentLengthCode) + (contentLengthCode == 1 ? 256 : 0) : 0;
        if (declared < 0) {
            throw malformed("length is out of range");
        }
        lengthMax = skipBlocks(in);
        if (lengthKnown) {
            if (declared > lengthMax) {
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
        boolean tree = false;
        while (!last) {
            int header = (int) read(in, BLOCK_HEADER_LENGTH);
            last = (header & 1) != 0;
            int type = (header >>> 1) & 3;
            int length = header >>> 3;
            if (type > COMPRESSED || length > BLOCK_LENGTH_MAX) {
                throw malformed("block is out of range");
            }
            if (type == COMPRESSED && length > 0 && in.hasRemaining()) {
                int literals = in.get(in.position()) & 3;
                if (literals == LITERALS_TREELESS && !tree) {
                    throw malformed(
                            "no block before has a tree"); // the decompressor would take that of an earlier body
                }
                tree |= literals == LITERALS_TREE;
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
        return new RefusalException(Reason.MALFORMED, "request can't be decompressed: encoding=zstd, reason=" + what);
    }
}
