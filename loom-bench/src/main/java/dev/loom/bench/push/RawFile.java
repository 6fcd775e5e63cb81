package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What an application without a store does: one thread appends records with length and time to a file through a buffer of 1 MiB
 * and the page cache, without checksums or syncs. A killed process loses the buffer.
 */
final class RawFile implements PushTarget {
    private static final int BUFFER_LENGTH = 1024 * 1024;
    private static final int TIME_OFFSET = Long.BYTES;

    private final PushSettings settings;
    private final PayloadPool pool;
    private final ByteBuffer payloads;
    private final TargetFiles files;
    private final Path path;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private long pushed;

    RawFile(PushSettings settings, PayloadPool pool, TargetFiles files) {
        this.settings = settings;
        this.pool = pool;
        this.files = files;
        payloads = pool.bytes();
        path = files.directory().resolve("records.raw");
        try {
            channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void push(int count) {
        final int payloadLength = settings.payloadLength();
        final int recordLength = settings.recordLength();
        int at = buffer.position();
        for (int i = 0; i < count; i++) {
            final long nowNs = System.nanoTime();
            if (at + recordLength > BUFFER_LENGTH) {
                buffer.position(at);
                flush();
                at = 0;
            }
            buffer.putLong(at, payloadLength);
            buffer.putLong(at + TIME_OFFSET, nowNs);
            buffer.put(at + PushSettings.HEADER_LENGTH, payloads, pool.offset(i), payloadLength);
            at += recordLength;
        }
        buffer.position(at);
        pushed += count;
    }

    @Override
    public long pushed() {
        return pushed;
    }

    @Override
    public void drain() {
        flush();
    }

    @Override
    public void finish() {
        if (channel.isOpen()) {
            flush();
            closeChannel();
        }
    }

    @Override
    public void verify() {
        long records = 0;
        final UnsafeBuffer view = new UnsafeBuffer(buffer);
        final int recordLength = settings.recordLength();
        final int wholeRecords = BUFFER_LENGTH / recordLength * recordLength;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            while (file.read(buffer.clear().limit(wholeRecords)) > 0) {
                while (buffer.position() % recordLength != 0) {
                    if (file.read(buffer) < 0) {
                        throw new IllegalStateException("raw file ends within a record: record=" + records);
                    }
                }
                final int end = buffer.position();
                for (int at = 0; at < end; at += recordLength) {
                    final int length = (int) view.getLong(at, ByteOrder.LITTLE_ENDIAN);
                    if (!pool.matches(records, view, at + PushSettings.HEADER_LENGTH, length)) {
                        throw new IllegalStateException("raw file record differs: record=" + records);
                    }
                    records++;
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        if (records != pushed) {
            throw new IllegalStateException(
                    "raw file has another number of records: expected=" + pushed + ", actual=" + records);
        }
    }

    @Override
    public void close() {
        closeChannel();
        files.close();
    }

    private void flush() {
        try {
            buffer.flip();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            buffer.clear();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
