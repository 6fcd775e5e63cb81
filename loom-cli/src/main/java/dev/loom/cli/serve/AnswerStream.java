package dev.loom.cli.serve;

import java.io.IOException;
import java.io.OutputStream;

/**
 * The answer to a query on its way to the client. While the query finds nothing, an empty line now and then shows whether the
 * client is still there. Usable by the query's thread and by one that calls {@link #keepAlive()}.
 */
final class AnswerStream extends OutputStream {
    private final OutputStream out;
    private boolean wroteSinceAsked;
    private boolean began;
    private boolean ended;

    AnswerStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        if (length > 0) {
            began = true;
            wroteSinceAsked = true;
            out.write(bytes, offset, length);
        }
    }

    @Override
    public synchronized void flush() throws IOException {
        if (began) {
            out.flush();
        }
    }

    /** Whether anything was written, and the response's status with it. */
    synchronized boolean began() {
        return began;
    }

    /** Writes an empty line if nothing was written since the last call; false when the client has gone, or all is written. */
    synchronized boolean keepAlive() {
        boolean silent = !wroteSinceAsked && !ended;
        wroteSinceAsked = false;
        if (!silent) {
            return !ended;
        }
        try {
            began = true;
            out.write('\n');
            out.flush();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Nothing but what this thread writes will follow. */
    synchronized void end() {
        ended = true;
    }

    @Override
    public synchronized void close() throws IOException {
        ended = true;
        out.close();
    }
}
