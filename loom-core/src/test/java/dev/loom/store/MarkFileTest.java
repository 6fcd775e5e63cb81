package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.BadDisk;
import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** The two slots of a mark: whatever becomes of one being written, the other is the newest that was durable. */
final class MarkFileTest {
    private static final int MAJOR_OFFSET = 8;

    @TempDir
    Path store;

    private Path path;
    private Mark newest;
    private final List<String> steps = new ArrayList<>();
    private boolean torn;

    /** Notes where the mark is written and that it is made durable, and may tear a write. */
    private final Storage storage = new HookedStorage() {
        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            Mark there = Objects.requireNonNull(slot(position));
            steps.add("slot of " + there.sequence());
            if (torn) {
                tear(position);
                throw new StoreIoException("injected failure: file=" + file);
            }
        }

        @Override
        protected void force(LoomFile file) {
            steps.add("sync");
            super.force(file);
        }
    };

    @BeforeEach
    void make() {
        Loom.open(StoreAccess.small(store).build()).close();
        path = new StoreFiles(store).mark();
        newest = new MarkFile(Storage.DISK, path).read();
    }

    private Mark slot(long position) {
        ByteBuffer slots = ByteBuffer.allocate(2 * MarkFile.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            file.read(slots, 0);
        }
        return MarkFile.slot(slots, (int) position);
    }

    private void tear(long position) {
        try (LoomFile file = Storage.DISK.openToWrite(path, false)) {
            file.write(ByteBuffer.allocate(MarkFile.SLOT_LENGTH / 2), position + MarkFile.SLOT_LENGTH / 2);
        }
    }

    @Test
    void shouldWriteOverTheOlderSlotAndSyncBeforeTheOther() {
        MarkFile mark = new MarkFile(storage, path);
        for (int i = 0; i < 5; i++) {
            Mark next = newest.again();
            assertEquals(newest.sequence() + 1, next.sequence());
            mark.write(next);
            assertEquals(List.of("slot of " + (newest.sequence() - 1), "sync"), steps);
            assertEquals(next, mark.read());
            newest = next;
            steps.clear();
        }
    }

    @Test
    void shouldBeTheLastMarkWhenTheNextOneIsTorn() {
        MarkFile mark = new MarkFile(storage, path);
        for (int i = 0; i < 2; i++) {
            Mark before = newest;
            torn = true;
            assertThrows(StoreIoException.class, () -> mark.write(before.again()));
            torn = false;
            assertEquals(before, mark.read());
            assertEquals(1, mark.damagedSlots().size());
            new MarkFile(Storage.DISK, path).write(before.again());
            newest = before.again();
            assertEquals(newest, mark.read());
            assertTrue(mark.damagedSlots().isEmpty());
        }
    }

    @Test
    void shouldWriteBothSlotsAtTheEnd() {
        MarkFile mark = new MarkFile(storage, path);
        Mark last = mark.writeTwice(newest.again());
        assertEquals(newest.sequence() + 2, last.sequence());
        assertEquals(last, mark.read());
        long position = (last.sequence() & 1) * MarkFile.SLOT_LENGTH;
        assertEquals(last.sequence(), slot(position).sequence());
        assertEquals(last.sequence() - 1, slot(MarkFile.SLOT_LENGTH - position).sequence());
        tear(position);
        assertEquals(last.sequence() - 1, mark.read().sequence());
        tear(MarkFile.SLOT_LENGTH - position);
        assertThrows(CorruptStoreException.class, mark::read);
    }

    /** Puts a slot there with another value of its fields, and the checksum of the whole. */
    private void forge(int slot, int offset, long value, boolean whole) {
        ByteBuffer bytes = ByteBuffer.allocate(MarkFile.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            file.read(bytes, (long) slot * MarkFile.SLOT_LENGTH);
        }
        bytes.clear();
        if (offset == MAJOR_OFFSET) {
            bytes.putShort(offset, (short) value);
        } else {
            bytes.putLong(offset, value);
        }
        if (whole) {
            CRC32C crc = new CRC32C();
            crc.update(bytes.duplicate().limit(MarkFile.SLOT_LENGTH - Integer.BYTES));
            bytes.putInt(MarkFile.SLOT_LENGTH - Integer.BYTES, (int) crc.getValue());
        }
        put(slot, bytes);
    }

    private void put(int slot, ByteBuffer bytes) {
        try (LoomFile file = Storage.DISK.openToWrite(path, false)) {
            file.write(bytes, (long) slot * MarkFile.SLOT_LENGTH);
        }
    }

    private void erase(int slot) {
        put(slot, ByteBuffer.allocate(MarkFile.SLOT_LENGTH));
    }

    private Mark read() {
        return new MarkFile(Storage.DISK, path).read();
    }

    private boolean unfinished() {
        return new MarkFile(Storage.DISK, path).unfinished();
    }

    @Test
    void shouldRefuseTheMarkOfANewerFormat() {
        for (int slot = 0; slot < 2; slot++) {
            forge(slot, MAJOR_OFFSET, MarkFile.MAJOR + 1, false);
            assertEquals(newest.storeId(), read().storeId(), "torn: the other slot counts");
            forge(slot, MAJOR_OFFSET, MarkFile.MAJOR + 1, true);
            UnsupportedStoreException newer = assertThrows(UnsupportedStoreException.class, this::read);
            assertTrue(String.valueOf(newer.getMessage()).contains("major=3, newest supported=2"), newer::getMessage);
            forge(slot, MAJOR_OFFSET, 1, true);
            assertEquals(newest, read());
        }
        forge(0, MAJOR_OFFSET, MarkFile.MAJOR + 1, false);
        forge(1, MAJOR_OFFSET, 0, false);
        assertThrows(UnsupportedStoreException.class, this::read);
        forge(0, MAJOR_OFFSET, 0, false);
        assertThrows(CorruptStoreException.class, this::read);
    }

    @Test
    void shouldRefuseWhatNeverWasAMark() {
        forge(0, 0, 5, true);
        assertEquals(newest.storeId(), read().storeId(), "the other slot counts");
        forge(1, 0, 5, true);
        CorruptStoreException foreign = assertThrows(CorruptStoreException.class, this::read);
        assertTrue(String.valueOf(foreign.getMessage()).contains("magic=5"), foreign::getMessage);
        forge(1, 0, MarkFile.MAGIC, false);
        assertThrows(CorruptStoreException.class, this::read);
    }

    @Test
    void shouldBeUnfinishedUntilItsFirstSlotIsWritten() {
        assertFalse(unfinished());
        erase(1);
        assertFalse(unfinished(), "the first slot is intact");
        assertEquals(List.of((long) MarkFile.SLOT_LENGTH), new MarkFile(Storage.DISK, path).damagedSlots());
        tear(0);
        assertTrue(unfinished());
        forge(0, MAJOR_OFFSET, MarkFile.MAJOR + 1, false);
        assertFalse(unfinished(), "of a newer format");
        forge(0, 0, 5, false);
        assertFalse(unfinished(), "another file");
        erase(0);
        assertTrue(unfinished());
        forge(1, 0, 1, false);
        assertFalse(unfinished(), "the second slot was written");
    }

    private void markUnclosed() {
        Rings rings = Rings.of(newest);
        newest = new MarkFile(Storage.DISK, path)
                .writeTwice(newest.owned(
                        newest.owner(), 1, newest.staging(), rings, rings, newest.indexState(), newest.file()));
        assertFalse(newest.closed());
    }

    /** As of a damaged one; who goes on to write waits for the disk, or for a repair. */
    @Test
    void shouldReadTheOtherSlotWhenTheDiskDoesNotDeliverOne() {
        markUnclosed();
        for (int slot = 0; slot < 2; slot++) {
            BadDisk disk = new BadDisk();
            disk.spoil(path, (long) slot * MarkFile.SLOT_LENGTH, MarkFile.SLOT_LENGTH);
            MarkFile mark = new MarkFile(disk, path);
            assertEquals(slot(MarkFile.SLOT_LENGTH * (1L - slot)), mark.read());
            assertEquals(List.of((long) slot * MarkFile.SLOT_LENGTH), mark.damagedSlots());
            assertFalse(mark.unfinished());
            StoreIoException refused = assertThrows(StoreIoException.class, mark::readWhole);
            assertTrue(String.valueOf(refused.getMessage()).contains(path + ", offset=" + slot * MarkFile.SLOT_LENGTH));
            assertTrue(String.valueOf(refused.getMessage()).contains("--repair"), refused::getMessage);
            disk.recover();
            assertEquals(newest, mark.readWhole());
        }
    }

    /** The later one may tell of a session, and of its rings. */
    @Test
    void shouldNotTrustASlotThatSaysClosedBesideOneThatTheDiskDoesNotDeliver() {
        for (int slot = 0; slot < 2; slot++) {
            BadDisk disk = new BadDisk();
            disk.spoil(path, (long) slot * MarkFile.SLOT_LENGTH, MarkFile.SLOT_LENGTH);
            MarkFile mark = new MarkFile(disk, path);
            for (Executable call : List.<Executable>of(mark::read, mark::readWhole)) {
                String message = String.valueOf(
                        assertThrows(StoreIoException.class, call).getMessage());
                assertTrue(message.contains("the other says that the store was closed"), message);
                assertTrue(message.contains(path + ", offset=" + slot * MarkFile.SLOT_LENGTH), message);
            }
            assertFalse(mark.unfinished());
            disk.recover();
            assertEquals(newest, mark.read());
        }
    }

    @Test
    void shouldAskForASlotFiveTimes() {
        for (int failures = 1; failures <= 5; failures++) {
            BadDisk disk = new BadDisk();
            disk.failuresMax = failures;
            disk.spoil(path, 0, MarkFile.SLOT_LENGTH);
            MarkFile mark = new MarkFile(disk, path);
            if (failures < 5) {
                assertEquals(newest, mark.readWhole());
            } else {
                assertThrows(StoreIoException.class, mark::read);
            }
        }
    }

    @Test
    void shouldFailWhenTheDiskDeliversNoGoodSlot() {
        for (int slot = 0; slot < 2; slot++) {
            BadDisk disk = new BadDisk();
            disk.spoil(path, (long) slot * MarkFile.SLOT_LENGTH, MarkFile.SLOT_LENGTH);
            MarkFile mark = new MarkFile(disk, path);
            ByteBuffer whole = bytes(1 - slot);
            // another file's, a newer format's, and one that was never written
            forge(1 - slot, 0, 5, false);
            assertThrows(StoreIoException.class, mark::read);
            assertFalse(mark.isForeign(), "the other slot may be a mark");
            assertFalse(mark.unfinished());
            put(1 - slot, whole.clear());
            forge(1 - slot, MAJOR_OFFSET, MarkFile.MAJOR + 1, true);
            assertThrows(UnsupportedStoreException.class, mark::read);
            assertFalse(mark.unfinished());
            erase(1 - slot);
            assertThrows(StoreIoException.class, mark::read);
            assertFalse(mark.isForeign());
            assertFalse(mark.unfinished(), "the slot that can't be read may hold a mark");
            disk.spoil(path, (1L - slot) * MarkFile.SLOT_LENGTH, MarkFile.SLOT_LENGTH);
            for (Executable call :
                    List.<Executable>of(mark::read, mark::readWhole, mark::unfinished, mark::isForeign)) {
                assertThrows(StoreIoException.class, call);
            }
            put(1 - slot, whole.clear());
        }
    }

    private ByteBuffer bytes(int slot) {
        ByteBuffer bytes = ByteBuffer.allocate(MarkFile.SLOT_LENGTH);
        try (LoomFile file = Storage.DISK.openToRead(path)) {
            file.read(bytes, (long) slot * MarkFile.SLOT_LENGTH);
        }
        return bytes;
    }

    @Test
    void shouldRefuseAPathThatItHasNoRoomFor() {
        Path fits = Path.of("/" + "x".repeat(3000));
        new MarkFile(Storage.DISK, path).write(newest.movedTo(fits));
        assertEquals(fits, read().staging());
        Path tooLong = Path.of("/" + "x".repeat(MarkFile.SLOT_LENGTH));
        Mark moved = newest.movedTo(tooLong);
        assertThrows(IllegalArgumentException.class, () -> new MarkFile(Storage.DISK, path).write(moved));
    }
}
