package dev.loom;

import dev.loom.io.ForwardingFile;
import dev.loom.io.ForwardingStorage;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The disk through the page cache, and nothing is ever synced: for tests that open thousands of stores, and cut no power.
 */
public class UnsyncedStorage extends ForwardingStorage {
    public UnsyncedStorage() {
        super(DISK);
    }

    @Override
    public LoomFile openToRead(Path file) {
        return new UnsyncedFile(DISK.openToRead(file));
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        return new UnsyncedFile(DISK.openToWrite(file, false));
    }

    @Override
    public void syncDirectory(Path directory) {}

    /** Called before each call to a file. */
    protected void onCall(Path file) {}

    private final class UnsyncedFile extends ForwardingFile {
        private final LoomFile file;

        private UnsyncedFile(LoomFile file) {
            super(file);
            this.file = file;
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
        public void force() {
            onCall(file.path());
        }
    }
}
