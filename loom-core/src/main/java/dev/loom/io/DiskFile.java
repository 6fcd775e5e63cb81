package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;

/**
 * A {@link LoomFile} on disk, which loops over short reads and writes. An interrupt closes the channel under its
 * thread; the file is then reopened, and the operation continues where it was. So does a sync, because written data
 * belongs to the file, not to the channel.
 */
final class DiskFile implements LoomFile {
    private final Path path;
    private final Set<OpenOption> options;
    private FileChannel channel;
    private boolean closed;

    /**
     * Takes over an open channel.
     *
     * @param options the options to reopen it with
     */
    DiskFile(Path path, Set<OpenOption> options, FileChannel channel) {
        this.path = path;
        this.options = options;
        this.channel = channel;
    }

    /** A repeatable operation on the channel. */
    @FunctionalInterface
    private interface Operation<T> {
        T run(FileChannel open) throws IOException;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public void write(ByteBuffer source, long position) {
        int start = source.position();
        boolean interrupted = Thread.interrupted();
        try {
            while (source.hasRemaining()) {
                try {
                    // the buffer's position shows what was written before an interrupt
                    channel.write(source, position + source.position() - start);
                } catch (ClosedChannelException e) {
                    interrupted |= reopen(e);
                }
            }
        } catch (IOException e) {
            throw failure("write", position + source.position() - start, e);
        } finally {
            keep(interrupted);
        }
    }

    @Override
    public int read(ByteBuffer target, long position) {
        int start = target.position();
        boolean interrupted = Thread.interrupted();
        boolean ended = false;
        try {
            while (target.hasRemaining() && !ended) {
                try {
                    ended = channel.read(target, position + target.position() - start) < 0;
                } catch (ClosedChannelException e) {
                    interrupted |= reopen(e);
                }
            }
        } catch (IOException e) {
            throw failure("read", position + target.position() - start, e);
        } finally {
            keep(interrupted);
        }
        return target.position() - start;
    }

    @Override
    public long size() {
        return run("size", 0, FileChannel::size);
    }

    @Override
    public void truncate(long size) {
        run("truncate", size, open -> open.truncate(size));
    }

    @Override
    public void force() {
        run("sync", 0, open -> {
            open.force(false);
            return open;
        });
    }

    @Override
    public MappedByteBuffer map(boolean writable, long position, long length) {
        return run(
                "map", position, open -> open.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, position, length));
    }

    private <T> T run(String operation, long offset, Operation<T> action) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return action.run(channel);
                } catch (ClosedChannelException e) {
                    interrupted |= reopen(e);
                }
            }
        } catch (IOException e) {
            throw failure(operation, offset, e);
        } finally {
            keep(interrupted);
        }
    }

    /**
     * Returns whether the thread was interrupted, and clears that for now; otherwise the channel would be closed at
     * once.
     */
    private boolean reopen(ClosedChannelException cause) throws IOException {
        if (closed) {
            throw cause;
        }
        boolean interrupted = Thread.interrupted();
        channel = FileChannel.open(path, options);
        return interrupted;
    }

    /** Restores the interrupt status for the thread's owner. */
    static void keep(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            throw failure("close", 0, e);
        }
    }

    private StoreIoException failure(String operation, long offset, IOException e) {
        return new StoreIoException(
                "file operation failed: operation=" + operation + ", file=" + path + ", offset=" + offset + ", reason="
                        + e,
                e);
    }
}
