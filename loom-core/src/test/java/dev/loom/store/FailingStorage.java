package dev.loom.store;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The disk without its syncs, on which from some call on every call fails that changes something: what it holds then is what a process leaves that
 * was killed there.
 */
final class FailingStorage extends HookedStorage {
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
    public LoomFile openToWrite(Path file, boolean direct) {
        change(file);
        return super.openToWrite(file, direct);
    }

    @Override
    public void createDirectory(Path directory) {
        change(directory);
        super.createDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        change(directory);
        super.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        change(directory);
    }

    @Override
    public void delete(Path file) {
        change(file);
        super.delete(file);
    }

    @Override
    public void rename(Path file, Path name) {
        change(file);
        super.rename(file, name);
    }

    @Override
    protected void onWrite(Path file, long position, boolean direct) {
        change(file);
    }

    @Override
    protected void onTruncate(Path file) {
        change(file);
    }

    @Override
    protected void force(LoomFile file) {
        change(file.path());
    }
}
