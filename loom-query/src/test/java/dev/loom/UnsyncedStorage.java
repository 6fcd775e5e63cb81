package dev.loom;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk through the page cache, and nothing is ever synced: for tests that open thousands of stores, and cut no power.
 */
public class UnsyncedStorage implements Storage {
    @Override
    public LoomFile openToRead(Path file) {
        return new UnsyncedFile(DISK.openToRead(file));
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        return new UnsyncedFile(DISK.openToWrite(file, false));
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
    public void syncDirectory(Path directory) {}

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

    /** Called before each call to a file. */
    protected void onCall(Path file) {}

    private final class UnsyncedFile implements LoomFile {
        private final LoomFile file;

        private UnsyncedFile(LoomFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            onCall(file.path());
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            onCall(file.path());
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            file.truncate(size);
        }

        @Override
        public void force() {
            onCall(file.path());
        }

        @Override
        public MappedByteBuffer map(boolean writable, long position, long length) {
            return file.map(writable, position, length);
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
