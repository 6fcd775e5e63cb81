package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/** A {@link LoomFile} on disk: loops over short reads and writes. */
final class DiskFile implements LoomFile {
    private final Path path;
    private final FileChannel channel;

    DiskFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public void write(ByteBuffer source, long position) {
        long at = position;
        try {
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
        } catch (IOException e) {
            throw failure("write", at, e);
        }
    }

    @Override
    public int read(ByteBuffer target, long position) {
        int total = 0;
        try {
            while (target.hasRemaining()) {
                int n = channel.read(target, position + total);
                if (n < 0) {
                    break;
                }
                total += n;
            }
        } catch (IOException e) {
            throw failure("read", position + total, e);
        }
        return total;
    }

    @Override
    public long size() {
        try {
            return channel.size();
        } catch (IOException e) {
            throw failure("size", 0, e);
        }
    }

    @Override
    public void truncate(long size) {
        try {
            channel.truncate(size);
        } catch (IOException e) {
            throw failure("truncate", size, e);
        }
    }

    @Override
    public void force() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw failure("sync", 0, e);
        }
    }

    @Override
    public MappedByteBuffer map(boolean writable, long position, long length) {
        try {
            return channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, position, length);
        } catch (IOException e) {
            throw failure("map", position, e);
        }
    }

    @Override
    public void close() {
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
