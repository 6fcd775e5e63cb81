package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.OpenPageCopy;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.record.RecordDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code open.page}: durable copies of the record log's first page that is not durable, open or filled since, in two slots of a
 * page each. They are written in turn, so a power cut while one is written leaves the other. For one thread.
 *
 * <p>Only a recovery after a power cut reads them, and only copies made by the session that was cut, of the page that
 * follows the intact ones.
 */
final class OpenPageFile implements OpenPageCopy {
    private static final int SLOTS = 2;
    /** The most that the file takes, bytes: two slots. */
    static final int LENGTH = SLOTS * PageDescriptor.PAGE_LENGTH;

    private static final int BLOCK_LENGTH = 4096;

    private final StoreFiles files;
    private final Storage storage;
    private final Runnable guard;
    private final PageChecksum checksum;
    private final ByteBuffer bytes = newPage();
    private final UnsafeBuffer page = new UnsafeBuffer(bytes);
    private @Nullable LoomFile file;
    private FileId id = FileId.NONE;
    /** Whether the file has its full length, and its name is durable. */
    private boolean made;

    private int slot;

    /** @param guard called before each write; throws if another writer owns the store */
    OpenPageFile(StoreFiles files, Storage storage, long storeId, Runnable guard) {
        this.files = files;
        this.storage = storage;
        this.guard = guard;
        this.checksum = new PageChecksum(LogKind.RECORD, storeId);
    }

    private static ByteBuffer newPage() {
        return ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void keep(ByteBuffer source, long address) {
        guard.run();
        LoomFile open = open();
        int used = source.remaining();
        bytes.clear().put(source);
        PageDescriptor.seal(page, 0, used, RecordDescriptor.lastTimeNs(page, used));
        checksum.fill(bytes, 0, address);
        bytes.limit((used + BLOCK_LENGTH - 1) & -BLOCK_LENGTH).position(0);
        try {
            open.write(bytes, position(slot));
            open.force();
        } catch (StoreIoException e) {
            close(); // nothing is known of this slot any more, so it is the next to be written
            throw e;
        }
        slot = (slot + 1) % SLOTS;
    }

    private static long position(int slot) {
        return (long) slot * PageDescriptor.PAGE_LENGTH;
    }

    /** Opens the file, or makes it at its full length, so that a disk that is full later refuses nothing. */
    private LoomFile open() {
        LoomFile open = file;
        FileId found = FileId.find(files.openPage());
        if (open == null || !found.equals(id)) {
            close(); // a file that was deleted or replaced takes what is written, and loses it
            open = storage.openToWrite(files.openPage(), false);
            file = open;
            made &= found.equals(id);
            id = FileId.of(files.openPage());
        }
        if (!made) {
            page.setMemory(0, PageDescriptor.PAGE_LENGTH, (byte) 0);
            for (int i = 0; i < SLOTS; i++) {
                open.write(bytes.clear(), position(i));
            }
            storage.syncDirectory(files.directory());
            made = true;
        }
        return open;
    }

    @Override
    public void close() {
        LoomFile open = file;
        file = null;
        if (open != null) {
            open.close();
        }
    }

    /**
     * Finds the copy of the page at an address, made by the mark's session.
     *
     * @return null if there is none
     * @throws StoreIoException when the file exists but can't be read
     */
    static @Nullable OpenPage find(StoreFiles files, Storage storage, Mark mark, long address) {
        if (!storage.exists(files.openPage())) {
            return null;
        }
        PageChecksum checksum = new PageChecksum(LogKind.RECORD, mark.storeId());
        OpenPage found = null;
        try (LoomFile file = storage.openToRead(files.openPage())) {
            for (int i = 0; i < SLOTS; i++) {
                ByteBuffer bytes = newPage();
                int read = file.read(bytes, position(i));
                OpenPage copy = new OpenPage(address, bytes);
                if (whole(copy.buffer(), read, checksum, bytes, address)
                        && PageDescriptor.epoch(copy.buffer(), 0) == mark.epoch()
                        && (found == null || copy.end() > found.end())) {
                    found = copy;
                }
            }
        }
        return found;
    }

    /**
     * Whether what the file kept is lost: both slots were written, and neither is whole. They are written in turn, so a power cut leaves
     * no more than one of them torn; that one tells nothing.
     *
     * @throws StoreIoException when the file exists but can't be read
     */
    static boolean isDamaged(StoreFiles files, Storage storage, Mark mark) {
        if (!storage.exists(files.openPage())) {
            return false;
        }
        PageChecksum checksum = new PageChecksum(LogKind.RECORD, mark.storeId());
        boolean damaged = true;
        try (LoomFile file = storage.openToRead(files.openPage())) {
            for (int i = 0; i < SLOTS && damaged; i++) {
                ByteBuffer bytes = newPage();
                int read = file.read(bytes, position(i));
                UnsafeBuffer page = new UnsafeBuffer(bytes);
                damaged = isWritten(page) && !whole(page, read, checksum, bytes, PageDescriptor.address(page, 0));
            }
        }
        return damaged;
    }

    private static boolean isWritten(UnsafeBuffer page) {
        for (int i = 0; i < PageDescriptor.PAGE_LENGTH; i += Long.BYTES) {
            if (page.getLong(i) != 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean whole(UnsafeBuffer page, int read, PageChecksum checksum, ByteBuffer bytes, long address) {
        int used = PageDescriptor.used(page, 0);
        if (used < PageDescriptor.HEADER_LENGTH || used > read) {
            return false;
        }
        // behind it the slot still has an earlier copy
        page.setMemory(used, PageDescriptor.PAGE_LENGTH - used, (byte) 0);
        return checksum.valid(page, bytes, 0, address);
    }
}
