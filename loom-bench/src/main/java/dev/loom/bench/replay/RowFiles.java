package dev.loom.bench.replay;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;

/**
 * Records on their way into a table, in files that hold nothing else: those of a source lie one after the other, which is ClickHouse's
 * format RowBinary. For one thread; whoever takes the files deletes them.
 */
final class RowFiles {
    private static final int BUFFER_LENGTH = 1 << 20;

    private final Path folder;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
    private final Map<ReplaySource, FileChannel> open = new EnumMap<>(ReplaySource.class);
    private long number;
    private long records;

    RowFiles(Path folder) {
        this.folder = folder;
    }

    /** A file that is complete. */
    record Rows(ReplaySource source, Path file) {}

    /** Records since the last {@link #take}. */
    long records() {
        return records;
    }

    void add(BatchSection section) throws IOException {
        FileChannel channel = open.get(section.source());
        if (channel == null) {
            channel = FileChannel.open(path(section.source()), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            open.put(section.source(), channel);
        }
        write(section.buffer(), section.offset(), section.bytes(), channel);
        records += section.records();
    }

    private void write(DirectBuffer from, int offset, int length, FileChannel channel) throws IOException {
        for (int copied = 0; copied < length; ) {
            buffer.clear().limit(Math.min(BUFFER_LENGTH, length - copied));
            from.getBytes(offset + copied, buffer, buffer.limit());
            buffer.flip();
            copied += buffer.limit();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }
    }

    private Path path(ReplaySource source) {
        return folder.resolve(source.text() + "-" + number + ".rows");
    }

    /** Completes the files. */
    List<Rows> take() throws IOException {
        final List<Rows> taken = new ArrayList<>();
        for (final Map.Entry<ReplaySource, FileChannel> file : open.entrySet()) {
            file.getValue().close();
            taken.add(new Rows(file.getKey(), path(file.getKey())));
        }
        open.clear();
        number++;
        records = 0;
        return taken;
    }

    static void delete(List<Rows> rows) throws IOException {
        for (final Rows one : rows) {
            Files.deleteIfExists(one.file());
        }
    }

    void close() throws IOException {
        delete(take());
    }
}
