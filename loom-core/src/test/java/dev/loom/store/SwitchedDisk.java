package dev.loom.store;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;

/** The disk, which the test lets refuse its changes or its syncs. It syncs nothing. */
final class SwitchedDisk extends HookedStorage {
    /** What was written, as {@code folder/file@position}. */
    final List<String> writes = new CopyOnWriteArrayList<>();

    /** What changed, in order: {@code write}, {@code cut} or {@code sync}, and the folder and file, or the folder. */
    final List<String> changes = new CopyOnWriteArrayList<>();

    private volatile boolean refusesChanges;
    private volatile String refusedFolder = "";
    private volatile boolean refusesSyncs;
    private final AtomicInteger readsRefused = new AtomicInteger();
    private volatile LongPredicate refusedPages = page -> false;

    /** From now on nothing changes any more, as if the process had been killed. */
    void refuseChanges() {
        refusesChanges = true;
    }

    /** From now on what is written need not reach the disk. */
    void refuseSyncs() {
        refusesSyncs = true;
    }

    /** From now on the files of one folder take no writes; with an empty name, those of none. */
    void refuseWrites(String folder) {
        refusedFolder = folder;
    }

    /**
     * From now on pages of the record log are not delivered.
     *
     * @param pages by address
     * @param times how often, read by itself; beside others it isn't delivered before
     */
    void refusePages(LongPredicate pages, int times) {
        readsRefused.set(times);
        refusedPages = pages;
    }

    /** As in the beginning. */
    void allow() {
        refusedPages = page -> false;
        refusesChanges = false;
        refusesSyncs = false;
        refusedFolder = "";
    }

    private void check(boolean refuses, Path file) {
        if (refuses) {
            throw new StoreIoException("injected failure: file=" + file);
        }
    }

    private static String name(Path file) {
        return file.getParent().getFileName() + "/" + file.getFileName();
    }

    @Override
    public LoomFile openToWrite(Path file, boolean direct) {
        check(refusesChanges, file);
        return super.openToWrite(file, direct);
    }

    @Override
    public void createDirectory(Path directory) {
        check(refusesChanges, directory);
        super.createDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) {
        check(refusesChanges, directory);
        super.createDirectories(directory);
    }

    @Override
    public void syncDirectory(Path directory) {
        check(refusesChanges || refusesSyncs, directory);
        changes.add("sync " + directory.getFileName());
    }

    @Override
    public void delete(Path file) {
        check(refusesChanges, file);
        super.delete(file);
    }

    @Override
    public void rename(Path file, Path name) {
        check(refusesChanges, file);
        super.rename(file, name);
    }

    @Override
    protected void onRead(Path file, long position, int length) {
        if (file.getParent().endsWith(LogKind.RECORD.folder())) {
            long from = Segments.firstOf(file) + position;
            boolean refused = false;
            for (long page = PageDescriptor.pageAddress(from);
                    page < from + length;
                    page += PageDescriptor.PAGE_LENGTH) {
                refused |= refusedPages.test(page);
            }
            boolean several = length > PageDescriptor.PAGE_LENGTH;
            check(refused && (several ? readsRefused.get() : readsRefused.getAndDecrement()) > 0, file);
        }
    }

    @Override
    protected void onWrite(Path file, long position, boolean direct) {
        check(refusesChanges || file.getParent().getFileName().toString().equals(refusedFolder), file);
        writes.add(name(file) + "@" + position);
        changes.add("write " + name(file));
    }

    @Override
    protected void onTruncate(Path file) {
        check(refusesChanges, file);
        changes.add("cut " + name(file));
    }

    @Override
    protected void force(LoomFile file) {
        check(refusesChanges || refusesSyncs, file.path());
        changes.add("sync " + name(file.path()));
    }
}
