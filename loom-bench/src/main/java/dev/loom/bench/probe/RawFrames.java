package dev.loom.bench.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.DirectBuffer;

/** A file of the records as they came, as a tracer writes them, through the page cache and without a time of its own. */
final class RawFrames implements FrameStore {
    private static final int BUFFER_LENGTH = 1 << 20;

    private final FileChannel file;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);

    RawFrames(Path directory) {
        try {
            file = FileChannel.open(
                    directory.resolve("records.raw"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void write(int source, DirectBuffer records, int offset, int count) {
        final int length = count * ProbeRecordDescriptor.RECORD_LENGTH;
        if (length > buffer.remaining()) {
            flush();
        }
        records.getBytes(offset, buffer, length);
    }

    private void flush() {
        try {
            buffer.flip();
            while (buffer.hasRemaining()) {
                file.write(buffer);
            }
            buffer.clear();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void finish() {
        flush();
    }

    @Override
    public long count() {
        try {
            return file.size() / ProbeRecordDescriptor.RECORD_LENGTH;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
