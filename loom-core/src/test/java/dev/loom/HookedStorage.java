package dev.loom;

import dev.loom.io.ForwardingFile;
import dev.loom.io.ForwardingStorage;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The disk, for tests to override what they want to see or fail. It takes direct I/O everywhere, past the page cache or not. */
public class HookedStorage extends ForwardingStorage {
    public HookedStorage() {
        super(DISK);
    }

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

    private final class HookedFile extends ForwardingFile {
        private final LoomFile file;
        private final boolean direct;

        HookedFile(LoomFile file, boolean direct) {
            super(file);
            this.file = file;
            this.direct = direct;
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
        public void truncate(long size) {
            onTruncate(file.path());
            file.truncate(size);
        }

        @Override
        public void force() {
            HookedStorage.this.force(file);
        }

        @Override
        public void close() {
            onClose(file.path());
            file.close();
        }
    }
}
