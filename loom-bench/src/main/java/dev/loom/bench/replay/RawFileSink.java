package dev.loom.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** A file for each source, as a probe would write it: records one after the other, and nothing else. Questions read all of it. */
final class RawFileSink extends ScannedSink {
    private static final int BUFFER_LENGTH = 1 << 20;

    private final Map<ReplaySource, SourceFile> files = new EnumMap<>(ReplaySource.class);
    private volatile long visibleNs;

    RawFileSink(SinkSettings settings) throws IOException {
        for (final ReplaySource source :
                settings.plan().workload().sources(settings.plan().phase())) {
            files.put(source, new SourceFile(settings.directory().resolve(source.text() + ".bin")));
        }
    }

    /** What is written to the file is published by its length. */
    private static final class SourceFile {
        private final FileChannel channel;
        private final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_LENGTH);
        private volatile long length;

        private SourceFile(Path path) throws IOException {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }

        private void append(BatchSection section) throws IOException {
            int copied = 0;
            while (copied < section.bytes()) {
                if (!bytes.hasRemaining()) {
                    flush();
                }
                final int part = Math.min(bytes.remaining(), section.bytes() - copied);
                section.buffer().getBytes(section.offset() + copied, bytes, part);
                copied += part;
            }
        }

        private void flush() throws IOException {
            bytes.flip();
            long written = length;
            while (bytes.hasRemaining()) {
                written += channel.write(bytes, written);
            }
            bytes.clear();
            length = written;
        }
    }

    @Override
    public String description() {
        return "a file for each source, written a batch at a time through the page cache; questions read a source's file";
    }

    @Override
    public void write(BatchSection section) throws IOException {
        section.source().in(files).append(section);
    }

    @Override
    public void endBatch(long endNs) throws IOException {
        for (final SourceFile file : files.values()) {
            file.flush();
        }
        visibleNs = endNs;
    }

    @Override
    public void finish() {
        // each batch is in the files
    }

    @Override
    public long visibleNs() {
        return visibleNs;
    }

    @Override
    void forEach(ReplaySource source, long fromNs, long toNs, RecordHandler handler) throws IOException {
        final SourceFile file = source.in(files);
        final long length = file.length;
        final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_LENGTH);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        long at = 0;
        while (at < length) {
            bytes.clear().limit((int) Math.min(BUFFER_LENGTH, length - at));
            long read = at;
            while (bytes.hasRemaining()) {
                read += file.channel.read(bytes, read);
            }
            at += records(source.kind(), buffer, bytes.limit(), handler);
        }
    }

    /** Returns the length of the records that are whole. */
    private static int records(RecordKind kind, UnsafeBuffer buffer, int limit, RecordHandler handler) {
        int offset = 0;
        while (offset < limit) {
            int length = kind.lengthMax();
            if (kind == RecordKind.PACKET) {
                if (offset + RecordKind.DATA_OFFSET > limit) {
                    break;
                }
                length = RecordKind.DATA_OFFSET + buffer.getByte(offset + RecordKind.DATA_LENGTH_OFFSET);
            }
            if (offset + length > limit) {
                break;
            }
            handler.onRecord(buffer, offset, length);
            offset += length;
        }
        return offset;
    }

    @Override
    public void settle() throws IOException {
        for (final SourceFile file : files.values()) {
            file.channel.force(true);
        }
    }

    @Override
    public void close() throws IOException {
        for (final SourceFile file : files.values()) {
            file.channel.close();
        }
    }
}
