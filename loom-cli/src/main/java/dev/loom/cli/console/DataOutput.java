package dev.loom.cli.console;

import dev.loom.cli.text.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output, for data alone. Buffered; for one thread. */
public final class DataOutput {
    private static final int CAPACITY = 64 * 1024;

    private final OutputStream stream;
    private final byte[] buffer = new byte[CAPACITY];
    private int length;

    DataOutput(OutputStream stream) {
        this.stream = stream;
    }

    /** Writes the text, and empties it. */
    public void write(TextBuffer text) {
        write(text.array(), 0, text.length());
        text.clear();
    }

    /**
     * Writes bytes.
     *
     * @throws BrokenPipeException when nobody reads
     */
    public void write(byte[] bytes, int offset, int count) {
        if (count > buffer.length - length) {
            drain();
        }
        if (count > buffer.length) {
            send(bytes, offset, count);
        } else {
            System.arraycopy(bytes, offset, buffer, length, count);
            length += count;
        }
    }

    /**
     * Hands everything written to the reader of standard output.
     *
     * @throws BrokenPipeException when nobody reads
     */
    public void flush() {
        drain();
        try {
            stream.flush();
        } catch (IOException e) {
            throw new BrokenPipeException(e);
        }
    }

    private void drain() {
        int count = length;
        length = 0;
        send(buffer, 0, count);
    }

    private void send(byte[] bytes, int offset, int count) {
        try {
            stream.write(bytes, offset, count);
        } catch (IOException e) {
            length = 0;
            throw new BrokenPipeException(e);
        }
    }
}
