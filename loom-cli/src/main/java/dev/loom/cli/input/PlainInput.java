package dev.loom.cli.input;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.jspecify.annotations.Nullable;

/**
 * An input, decompressed if it begins like gzip. It reads nothing before the first call, and so waits for nothing; from a plain
 * input it reads no more than has arrived. For one thread.
 */
public final class PlainInput extends InputStream {
    private static final int GZIP_FIRST = 0x1F;
    private static final int GZIP_SECOND = 0x8B;

    private final InputStream in;
    private @Nullable InputStream plain;

    public PlainInput(InputStream in) {
        this.in = in;
    }

    /** Whether these first bytes are gzip's. */
    public static boolean compressed(int first, int second) {
        return first == GZIP_FIRST && second == GZIP_SECOND;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        InputStream from = plain;
        if (from == null) {
            from = begin();
            plain = from;
        }
        return from.read(into, offset, length);
    }

    private InputStream begin() throws IOException {
        int first = in.read();
        if (first != GZIP_FIRST) {
            return first < 0 ? in : before(new byte[] {(byte) first});
        }
        int second = in.read();
        if (second < 0) {
            return new ByteArrayInputStream(new byte[] {(byte) first});
        }
        InputStream whole = before(new byte[] {(byte) first, (byte) second});
        return compressed(first, second) ? new GzipInput(whole) : whole;
    }

    private InputStream before(byte[] bytes) {
        return new SequenceInputStream(new ByteArrayInputStream(bytes), in);
    }

    @Override
    public void close() throws IOException {
        InputStream from = plain;
        if (from != null) {
            from.close();
        }
        in.close();
    }
}
