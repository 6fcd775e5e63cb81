package dev.loom.cli.console;

import dev.loom.cli.text.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** Standard output, for data alone. Buffered; for one thread. */
public final class DataOutput {
    private static final int CAPACITY = 64 * 1024;

    private static final String BROKEN_PIPE = "Broken pipe";

    private final OutputStream stream;
    private final boolean pipe;
    private final byte[] buffer = new byte[CAPACITY];
    private int length;
    private boolean untouched = true;

    /**
     * Wraps a stream.
     *
     * @param pipe whether any failure to write means that nobody reads; otherwise the failure's text tells
     */
    DataOutput(OutputStream stream, boolean pipe) {
        this.stream = stream;
        this.pipe = pipe;
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
     * @throws UncheckedIOException when writing fails otherwise
     */
    public void write(byte[] bytes, int offset, int count) {
        untouched &= count == 0;
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

    /** Whether nothing was ever written. */
    public boolean untouched() {
        return untouched;
    }

    /**
     * Hands everything written to the reader of standard output.
     *
     * @throws BrokenPipeException when nobody reads
     * @throws UncheckedIOException when writing fails otherwise
     */
    public void flush() {
        drain();
        try {
            stream.flush();
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private RuntimeException failure(IOException e) {
        return pipe || BROKEN_PIPE.equals(e.getMessage()) ? new BrokenPipeException(e) : new UncheckedIOException(e);
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
            throw failure(e);
        }
    }
}
