package dev.loom.server.text;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/** An output of data, such as standard output or an answer by HTTP. Buffered. For one thread. */
public final class DataOutput extends OutputStream {
    private static final int CAPACITY = 64 * 1024;

    private static final String BROKEN_PIPE = "Broken pipe";

    private final OutputStream stream;
    private final boolean pipe;
    private final byte[] buffer = new byte[CAPACITY];
    private int length;
    private boolean untouched = true;
    private boolean atLineStart = true;
    private Runnable beforeSending = () -> {};

    /**
     * Wraps a stream.
     *
     * @param pipe whether every failed write means that the reader has gone; otherwise the failure's text decides
     */
    public DataOutput(OutputStream stream, boolean pipe) {
        this.stream = stream;
        this.pipe = pipe;
    }

    /** Writes and clears the text. */
    public void write(TextBuffer text) {
        write(text.array(), 0, text.length());
        text.clear();
    }

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    /**
     * Writes bytes.
     *
     * @throws BrokenPipeException if the reader has gone
     * @throws UncheckedIOException if writing fails otherwise
     */
    @Override
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

    /** Whether it leads to another process. */
    public boolean isPipe() {
        return pipe;
    }

    /** Sets what is run each time before bytes go to the stream. */
    public void beforeSending(Runnable action) {
        beforeSending = action;
    }

    /** Whether all that was written is sent, and ends a line, if there is any. */
    public boolean atLineStart() {
        return length == 0 && atLineStart;
    }

    /**
     * Passes everything written to the reader of standard output.
     *
     * @throws BrokenPipeException if the reader has gone
     * @throws UncheckedIOException if writing fails otherwise
     */
    @Override
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
        if (count == 0) {
            return;
        }
        beforeSending.run();
        atLineStart = bytes[offset + count - 1] == '\n';
        try {
            stream.write(bytes, offset, count);
        } catch (IOException e) {
            length = 0;
            throw failure(e);
        }
    }
}
