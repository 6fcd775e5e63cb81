package dev.loom.otlp.json;

import dev.loom.otlp.InPlaceBuffer;
import java.io.InputStream;

/** The unread bytes of a buffer as a stream for the parser. */
final class UnreadInputStream extends InputStream {
    private final InPlaceBuffer in;

    UnreadInputStream(InPlaceBuffer in) {
        this.in = in;
    }

    @Override
    public int read() {
        if (in.unread() == 0) {
            return -1;
        }
        int value = in.buffer().getByte(in.unreadOffset()) & 0xFF;
        in.read(1);
        return value;
    }

    @Override
    public int read(byte[] to, int offset, int length) {
        int count = Math.min(length, in.unread());
        if (count == 0) {
            return length == 0 ? 0 : -1;
        }
        in.buffer().getBytes(in.unreadOffset(), to, offset, count);
        in.read(count);
        return count;
    }
}
