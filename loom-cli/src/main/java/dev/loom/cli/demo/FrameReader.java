package dev.loom.cli.demo;

import java.io.IOException;
import java.net.ProtocolException;

/** A cursor over the messages that arrive on a connection. The frame is valid until the next {@link #next()}. For one thread. */
final class FrameReader {
    /** A source of bytes: {@link java.io.InputStream#read(byte[], int, int)}, or something that times it. */
    @FunctionalInterface
    interface ByteInput {
        int read(byte[] into, int offset, int length) throws IOException;
    }

    private final ByteInput input;
    private final byte[] bytes = new byte[FrameDescriptor.FRAME_LENGTH_MAX];
    private final FrameFlyweight frame = new FrameFlyweight().wrap(bytes);
    private int frameLength;
    private int limit;

    FrameReader(ByteInput input) {
        this.input = input;
    }

    /** The frame that the last {@link #next()} moved to. */
    FrameFlyweight frame() {
        return frame;
    }

    /** Moves to the next frame, waiting for its last byte. False at the end of the stream, even in the middle of a frame. */
    boolean next() throws IOException {
        limit -= frameLength;
        System.arraycopy(bytes, frameLength, bytes, 0, limit);
        frameLength = 0;
        if (!fillTo(FrameDescriptor.PREFIX_LENGTH)) {
            return false;
        }
        int bodyLength = frame.bodyLength();
        if (bodyLength < FrameDescriptor.BODY_LENGTH_MIN || bodyLength > FrameDescriptor.BODY_LENGTH_MAX) {
            throw new ProtocolException("frame has an impossible length: bodyLength=" + bodyLength);
        }
        if (!fillTo(frame.frameLength())) {
            return false;
        }
        frameLength = frame.frameLength();
        return true;
    }

    private boolean fillTo(int length) throws IOException {
        while (limit < length) {
            int received = input.read(bytes, limit, bytes.length - limit);
            if (received < 0) {
                return false;
            }
            limit += received;
        }
        return true;
    }
}
