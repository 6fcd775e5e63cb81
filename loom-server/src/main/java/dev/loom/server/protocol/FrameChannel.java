package dev.loom.server.protocol;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ByteChannel;
import java.nio.charset.StandardCharsets;
import org.agrona.BufferUtil;

/** Reads and writes frames on one connection, blocking. For one thread. */
public final class FrameChannel implements AutoCloseable {
    private ByteChannel channel;
    private final ByteBuffer header = little(FrameDescriptor.HEADER_LENGTH);
    private final ByteBuffer text = little(FrameDescriptor.HEADER_LENGTH + FrameDescriptor.TEXT_LENGTH_MAX);

    public FrameChannel(ByteChannel channel) {
        this.channel = channel;
    }

    /** Goes on through another channel, such as one that encrypts. */
    public void through(ByteChannel other) {
        channel = other;
    }

    private static ByteBuffer little(int capacity) {
        return ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Waits for a frame's first bytes; false at the end of the stream. Call {@link #readRest()} next. */
    public boolean readFirst() throws IOException {
        header.clear();
        return channel.read(header) > 0;
    }

    /** Reads the rest of the header; {@link #type()} and {@link #length()} are then valid. */
    public void readRest() throws IOException {
        readFully(header);
        if (length() < 0) {
            throw new ProtocolException("frame is too long: bytes=" + Integer.toUnsignedString(length()));
        }
    }

    public int type() {
        return header.getInt(FrameDescriptor.TYPE_OFFSET);
    }

    public int length() {
        return header.getInt(FrameDescriptor.LENGTH_OFFSET);
    }

    /** Reads until the buffer is full. */
    public void readFully(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            read(into);
        }
    }

    /** Reads what has arrived, at least a byte; how many. */
    public int read(ByteBuffer into) throws IOException {
        int count = channel.read(into);
        if (count < 0) {
            throw new EOFException("connection ended within a frame");
        }
        return count;
    }

    /** Reads the body of a frame other than a batch. */
    public byte[] readText() throws IOException {
        if (length() > FrameDescriptor.TEXT_LENGTH_MAX) {
            throw new ProtocolException(
                    "frame is too long: bytes=" + length() + ", max=" + FrameDescriptor.TEXT_LENGTH_MAX);
        }
        byte[] bytes = new byte[length()];
        text.clear().limit(bytes.length);
        readFully(text);
        text.flip().get(bytes);
        return bytes;
    }

    /** Skips this many bytes of the body. */
    public void skip(int count) throws IOException {
        for (int left = count; left > 0; left -= text.limit()) {
            text.clear().limit(Math.min(left, text.capacity()));
            readFully(text);
        }
    }

    /**
     * Writes a text frame.
     *
     * @throws IllegalArgumentException if it is longer than {@link FrameDescriptor#TEXT_LENGTH_MAX}: a part of a text would say something else
     */
    public void writeText(int type, byte[] bytes) throws IOException {
        if (bytes.length > FrameDescriptor.TEXT_LENGTH_MAX) {
            throw new IllegalArgumentException(
                    "text is too long for a frame: bytes=" + bytes.length + ", max=" + FrameDescriptor.TEXT_LENGTH_MAX);
        }
        text.clear();
        text.putInt(bytes.length).putInt(type).put(bytes);
        writeFully(text.flip());
    }

    /** Writes the answer to a batch. */
    public void writeAnswer(int type, int taken, int delayMs, String reason) throws IOException {
        byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, FrameDescriptor.TEXT_LENGTH_MAX - FrameDescriptor.REASON_OFFSET);
        text.clear();
        text.putInt(FrameDescriptor.REASON_OFFSET + length).putInt(type);
        text.putInt(taken).putInt(delayMs).put(bytes, 0, length);
        writeFully(text.flip());
    }

    public void writeFully(ByteBuffer from) throws IOException {
        while (from.hasRemaining()) {
            channel.write(from);
        }
    }

    /** Gives the memory back, once nothing is read or written any more. */
    public void free() {
        BufferUtil.free(header);
        BufferUtil.free(text);
    }

    /** Closes both directions. Usable from any thread. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
