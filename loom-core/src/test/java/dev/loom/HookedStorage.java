package dev.loom;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The disk, for tests to override what they want to see or fail. It takes direct I/O everywhere, past the page cache or not. */
public class HookedStorage implements Storage {
    /** Called before each write. */
    protected void onWrite(Path file, long position, boolean direct) {}

    /** Called before each write, with what it writes. */
    protected void onWrite(Path file, ByteBuffer source, long position, boolean direct) {
        onWrite(file, position, direct);
    }

    /** Called before each read. */
    protected void onRead(Path file) {}

    /** Called before each read, with where it reads. */
    protected void onRead(Path file, long position, int length) {
        onRead(file);
    }

    /** Called before a file is closed. */
    protected void onClose(Path file) {}

    /** Makes a file's data durable. */
    protected void force(LoomFile file) {
        file.force();
    }

    /** Called before each call that cuts or lengthens a file. */
    protected void onTruncate(Path file) {}

    @Override
    public LoomFile openToRead(Path file) {
        return new HookedFile(DISK.openToRead(file), false);
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        return new HookedFile(DISK.openToWrite(file, false), direct);
    }

    @Override
    public void createDirectory(Path directory) {
        DISK.createDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        DISK.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        DISK.syncDirectory(directory);
    }

    @Override
    public void delete(Path file) {
        DISK.delete(file);
    }

    @Override
    public void rename(Path file, Path name) {
        DISK.rename(file, name);
    }

    @Override
    public List<Path> list(Path directory) {
        return DISK.list(directory);
    }

    @Override
    public boolean exists(Path file) {
        return DISK.exists(file);
    }

    private final class HookedFile implements LoomFile {
        private final LoomFile file;
        private final boolean direct;

        HookedFile(LoomFile file, boolean direct) {
            this.file = file;
            this.direct = direct;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            onWrite(file.path(), source, position, direct);
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            onRead(file.path(), position, target.remaining());
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            onTruncate(file.path());
            file.truncate(size);
        }

        @Override
        public void force() {
            HookedStorage.this.force(file);
        }

        @Override
        public MappedByteBuffer map(boolean writable, long position, long length) {
            return file.map(writable, position, length);
        }

        @Override
        public void close() {
            onClose(file.path());
            file.close();
        }
    }
}
