package dev.loom.cli.input;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/**
 * Decompresses gzip (RFC 1952), all members to the end. The JDK's stream takes a truncated second member, or anything else after
 * the first, for the end. Zeros may follow the last member, as on tapes. For one thread.
 */
public final class GzipInput extends InputStream {
    private static final int BUFFER = 64 * 1024;
    private static final int DEFLATED = 8;
    private static final int FLAG_HEADER_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int FLAGS_RESERVED = 0xE0;

    private final InputStream in;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] buffer = new byte[BUFFER];
    private int position;
    private int limit;
    private long consumed;
    private int members;
    private boolean ended;

    /** Starts with compressed bytes, which begin with a header. */
    public GzipInput(InputStream compressed) throws IOException {
        in = compressed;
        header(take(), take());
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        try {
            while (!ended) {
                int count = inflater.inflate(into, offset, length);
                if (count > 0) {
                    crc.update(into, offset, count);
                    return count;
                } else if (inflater.finished() || inflater.needsDictionary()) {
                    endMember();
                } else if (inflater.needsInput()) {
                    if (!fill()) {
                        throw endsEarly();
                    }
                    inflater.setInput(buffer, 0, limit);
                    position = limit;
                }
            }
            return -1;
        } catch (DataFormatException e) {
            throw new ZipException("gzip is damaged: " + e.getMessage() + place());
        }
    }

    private void header(int first, int second) throws IOException {
        if (first != 0x1F || second != 0x8B) {
            throw new ZipException("trailing data is not gzip" + place());
        }
        int method = take();
        int flags = take();
        if (method != DEFLATED || (flags & FLAGS_RESERVED) != 0) {
            throw new ZipException("unsupported gzip header: method=" + method + ", flags=" + flags + place());
        }
        skip(6);
        if ((flags & FLAG_EXTRA) != 0) {
            skip(take() | take() << 8);
        }
        for (int flag : new int[] {FLAG_NAME, FLAG_COMMENT}) {
            boolean text = (flags & flag) != 0;
            while (text && take() != 0) {}
        }
        skip((flags & FLAG_HEADER_CRC) == 0 ? 0 : 2);
        inflater.reset();
        crc.reset();
        members++;
        inflater.setInput(buffer, position, limit - position);
        position = limit;
    }

    /** Checks the member's trailer and begins the next member, if there is one. */
    private void endMember() throws IOException {
        position = limit - inflater.getRemaining();
        long expectedCrc = takeInt();
        long expectedLength = takeInt();
        long length = inflater.getBytesWritten() & 0xFFFF_FFFFL;
        if (expectedCrc != crc.getValue() || expectedLength != length) {
            throw new ZipException("gzip checksum differs: expected=" + expectedCrc + ", actual=" + crc.getValue()
                    + ", expectedLength=" + expectedLength + ", actualLength=" + length + place());
        }
        int first = 0;
        while (first == 0) {
            if (position == limit && !fill()) {
                ended = true;
                return;
            }
            first = take();
        }
        header(first, take());
    }

    private long takeInt() throws IOException {
        return (take() | take() << 8 | take() << 16 | (long) take() << 24) & 0xFFFF_FFFFL;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            take();
        }
    }

    private int take() throws IOException {
        if (position == limit && !fill()) {
            throw endsEarly();
        }
        return buffer[position++] & 0xFF;
    }

    private boolean fill() throws IOException {
        consumed += limit;
        position = 0;
        limit = Math.max(0, in.read(buffer));
        return limit > 0;
    }

    private EOFException endsEarly() {
        return new EOFException("gzip ends early" + place());
    }

    private String place() {
        return ": member=" + Math.max(1, members) + ", bytes=" + (consumed + limit);
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        in.close();
    }
}
