package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The disk without its syncs, on which from some call on every call fails that changes something: what it holds then is what
 * a process leaves that was killed there.
 */
final class FailingStorage implements Storage {
    private final AtomicInteger changes = new AtomicInteger();
    private final int failFrom;

    /** @param failFrom the first change that fails, counted from 1; 0 for none */
    FailingStorage(int failFrom) {
        this.failFrom = failFrom;
    }

    /** Changes asked for so far. */
    int changes() {
        return changes.get();
    }

    private void change(Path file) {
        int number = changes.incrementAndGet();
        if (failFrom > 0 && number >= failFrom) {
            throw new StoreIoException("injected failure: change=" + number + ", file=" + file);
        }
    }

    @Override
    public LoomFile openToRead(Path file) {
        return new FailingFile(DISK.openToRead(file));
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        change(file);
        return new FailingFile(DISK.openToWrite(file, false));
    }

    @Override
    public void createDirectories(Path directory) {
        change(directory);
        DISK.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        change(directory);
    }

    @Override
    public void delete(Path file) {
        change(file);
        DISK.delete(file);
    }

    @Override
    public List<Path> list(Path directory) {
        return DISK.list(directory);
    }

    @Override
    public boolean exists(Path file) {
        return DISK.exists(file);
    }

    private final class FailingFile implements LoomFile {
        private final LoomFile file;

        FailingFile(LoomFile file) {
            this.file = file;
        }

        @Override
        public Path path() {
            return file.path();
        }

        @Override
        public void write(ByteBuffer source, long position) {
            change(path());
            file.write(source, position);
        }

        @Override
        public int read(ByteBuffer target, long position) {
            return file.read(target, position);
        }

        @Override
        public long size() {
            return file.size();
        }

        @Override
        public void truncate(long size) {
            change(path());
            file.truncate(size);
        }

        @Override
        public void force() {
            change(path());
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
