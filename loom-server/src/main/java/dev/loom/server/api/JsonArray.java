package dev.loom.server.api;

import java.io.IOException;
import java.io.OutputStream;

/** Turns lines of JSON into the elements of one array. For one thread. */
final class JsonArray extends OutputStream {
    private final OutputStream out;
    private byte[] chunk = new byte[1024];
    private char before = '[';

    JsonArray(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    /** Writes what is not within a line as it ends: each but the last becomes a comma, once something follows. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (chunk.length < length + 1) {
            chunk = new byte[length + 1];
        }
        int count = 0;
        for (int i = offset; i < offset + length; i++) {
            if (bytes[i] == '\n') {
                before = before == '[' ? '[' : ',';
            } else {
                if (before != 0) {
                    chunk[count++] = (byte) before;
                    before = 0;
                }
                chunk[count++] = bytes[i];
            }
        }
        out.write(chunk, 0, count);
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    /** Ends the array, which has an element. */
    void end() throws IOException {
        out.write(new byte[] {']', '\n'});
        out.flush();
    }
}
