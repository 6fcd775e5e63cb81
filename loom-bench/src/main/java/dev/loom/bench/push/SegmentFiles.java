package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A log split into files of one size, written once from front to back. For one thread. */
final class SegmentFiles implements AutoCloseable {
    private final Path directory;
    private final long segmentBytes;
    private final boolean direct;
    private final List<Path> paths = new ArrayList<>();
    private @Nullable FileChannel channel;
    private long written;

    SegmentFiles(Path directory, long segmentBytes, boolean direct) {
        this.directory = directory;
        this.segmentBytes = segmentBytes;
        this.direct = direct;
    }

    /** The bytes left in the current segment. */
    long room() {
        return segmentBytes - written % segmentBytes;
    }

    /** Writes the rest of {@code run}, at most {@link #room()} bytes. */
    void write(ByteBuffer run) {
        try {
            final FileChannel file = current();
            final long start = written % segmentBytes;
            final int from = run.position();
            while (run.hasRemaining()) {
                file.write(run, start + run.position() - from);
            }
            written += run.position() - from;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void sync() {
        try {
            if (channel != null) {
                channel.force(false);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long written() {
        return written;
    }

    List<Path> paths() {
        return List.copyOf(paths);
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.close();
                channel = null;
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FileChannel current() throws IOException {
        if (channel == null || written == segmentBytes * paths.size()) {
            close();
            final Path path = directory.resolve(String.format("%020d.seg", written));
            channel = open(path);
            paths.add(path);
        }
        return channel;
    }

    private FileChannel open(Path path) throws IOException {
        final OpenOption create = StandardOpenOption.CREATE_NEW;
        final OpenOption write = StandardOpenOption.WRITE;
        return direct ? FileChannel.open(path, create, write, directOption()) : FileChannel.open(path, create, write);
    }

    /** Looked up by name, since newer javac versions warn about the class. */
    private static OpenOption directOption() {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        throw new IllegalStateException("direct I/O is not in this JVM");
    }
}
