package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decompresses Zstandard (RFC 8878, all frames, no dictionaries) in place. The output itself serves as the window, so a
 * frame that demands a large window costs nothing.
 *
 * <p>The block headers of a frame give the greatest decoded length of each block before anything is decoded. From that
 * follows the room needed to keep the output below the block being read.
 *
 * <p>Reused; not thread-safe.
 */
final class ZstdDecoder {
    private static final int BLOCK_LENGTH_MAX = 128 << 10;

    /** More than the decompressor writes past its output. */
    private static final int OVERSHOOT = 64;

    /**
     * The room that a frame of full blocks needs beyond its output: a block, and the greatest apparent length of the last
     * one.
     */
    static final int ROOM = 2 * BLOCK_LENGTH_MAX + OVERSHOOT;

    private static final int FRAME_MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50;
    private static final int SKIPPABLE_MASK = 0xFFFFFFF0;
    private static final int BLOCK_HEADER_LENGTH = 3;
    private static final int CHECKSUM_LENGTH = 4;
    private static final int RUN = 1;
    private static final int COMPRESSED = 2;

    private final ZstdDecompressor decompressor = new ZstdDecompressor();
    private boolean lengthKnown;
    /** The greatest decoded length of the current frame. */
    private long lengthMax;
    /** The greatest lead, over all blocks, of the output including a block over the input before it. */
    private long lead;

    /**
     * Decodes a body.
     *
     * @param body its unread bytes are encoded; decoded bytes are written to it
     * @throws RefusalException if it is not Zstandard, is too large, or there is no room
     */
    void decode(Region body, DecodeLimits limits) throws RefusalException {
        int encodedLength = body.unread();
        do {
            int most = limits.allowed(encodedLength) - body.length();
            ByteBuffer in = body.unreadBytes().order(ByteOrder.LITTLE_ENDIAN);
            boolean skippable = skipFrame(in, most);
            int frameLength = body.unread() - in.remaining();
            if (skippable) {
                body.read(frameLength);
            } else {
                decodeFrame(body, frameLength, (int) Math.min(lengthMax, most), limits, encodedLength);
            }
        } while (body.unread() > 0);
    }

    private void decodeFrame(Region body, int frameLength, int most, DecodeLimits limits, int encodedLength)
            throws RefusalException {
        if (most == 0 && lengthMax > 0) {
            throw limits.exceeded(encodedLength);
        }
        body.require((int) Math.max(0, lead + OVERSHOOT));
        ByteBuffer in = body.unreadBytes();
        in.limit(in.position() + frameLength);
        ByteBuffer out = body.unfilledOverUnread(most);
        int before = out.position();
        try {
            decompressor.decompress(in, out);
        } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw most < lengthMax ? limits.exceeded(encodedLength) : malformed(String.valueOf(e.getMessage()));
        }
        int length = out.position() - before;
        if (lengthKnown && length != lengthMax) {
            throw malformed("length differs");
        }
        body.read(frameLength);
        body.written(length);
    }

    /** Skips a frame, and notes the room that it needs, up to a limit on its output. */
    private boolean skipFrame(ByteBuffer in, int most) throws RefusalException {
        int start = in.position();
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
        lengthMax = skipBlocks(in, start, lengthKnown ? Math.min(declared, most) : most);
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

    private long skipBlocks(ByteBuffer in, int frame, long most) throws RefusalException {
        long decodedMax = 0;
        boolean last = false;
        lead = Long.MIN_VALUE;
        while (!last) {
            int read = in.position() - frame;
            int header = (int) read(in, BLOCK_HEADER_LENGTH);
            last = (header & 1) != 0;
            int type = (header >>> 1) & 3;
            int length = header >>> 3;
            if (type > COMPRESSED || length > BLOCK_LENGTH_MAX) {
                throw malformed("block is out of range");
            }
            decodedMax += type == COMPRESSED ? BLOCK_LENGTH_MAX : length;
            lead = Math.max(lead, Math.min(decodedMax, most) - read);
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
