package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The opening of a store whose writer was killed while the disk was full. */
final class FullRecoveryTest extends StoreFixture {
    private static final long MIN_FREE = 1 << 20;

    /** Holds what the store has, and not a byte more, until the test says otherwise. Syncs nothing. */
    private final class FullDisk extends HookedStorage {
        private final long capacity = StoreAccess.bytes(store());
        private boolean shared;
        private int deletions;

        /** The process is killed after this number of changes. */
        private int changesLeft = Integer.MAX_VALUE;

        private boolean isOurs(Path file) {
            return file.startsWith(store());
        }

        private void change() {
            if (changesLeft == 0) {
                throw new StoreIoException("injected failure");
            }
            changesLeft--;
        }

        @Override
        public long usableSpace(Path directory) {
            return !isOurs(directory)
                    ? super.usableSpace(directory)
                    : shared ? 0 : capacity - StoreAccess.bytes(store());
        }

        @Override
        public long totalSpace(Path directory) {
            return capacity;
        }

        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            change();
            // the mark is rewritten in place; a file's new blocks need room
            if (isOurs(file) && position >= file.toFile().length() && usableSpace(file) < PAGE) {
                throw new StoreIoException("injected failure: no space left, file=" + file);
            }
        }

        @Override
        protected void onTruncate(Path file) {
            change();
        }

        @Override
        public void delete(Path file) {
            change();
            if (file.endsWith(Path.of("record", file.getFileName().toString()))
                    && file.toFile().exists()) {
                deletions++;
            }
            super.delete(file);
        }

        @Override
        public void syncDirectory(Path directory) {}

        @Override
        protected void force(LoomFile file) {}
    }

    private MarkFile markFile() {
        return new MarkFile(Storage.DISK, store().resolve("loom.mark"));
    }

    private StoreImage killed(int durable) {
        openFirst();
        push(durable);
        loom.force();
        push(300);
        kill();
        markFile().write(markFile().read().takenOver()); // this process lives on
        return StoreImage.of(store());
    }

    private Loom open(FullDisk full, long minFree) {
        return open(full, builder -> builder.minFreeBytes(minFree));
    }

    private static long begin(Store store) {
        return store.info().records().begin();
    }

    /** The store has its newest records, all from its beginning on, and says so. */
    private long assertNewest(Store store) {
        long begin = begin(store);
        try (Snapshot snapshot = store.snapshot()) {
            for (int source = 1; source <= 2; source++) {
                List<Long> found = new ArrayList<>();
                try (RecordCursor cursor = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        found.add(cursor.address());
                    }
                    assertEquals(0, cursor.damaged());
                    assertEquals(begin > 0, cursor.expired());
                }
                int id = source;
                assertEquals(
                        pushed.stream()
                                .filter(each -> each.source() == id && each.address() >= begin)
                                .map(Pushed::address)
                                .toList(),
                        found);
                assertEquals(found.size(), snapshot.statistics(source).records());
            }
        }
        return begin;
    }

    private void assertClosedWhole() {
        try (LoomReader reader = LoomReader.attach(store())) {
            assertNewest(reader);
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store(), (file, offset, message) -> problems.add(file + "@" + offset + ": " + message));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldDeleteTheOldestSegmentsBelowTheFreeSpaceThatIsToBe() {
        killed(4_000);
        try (Loom reopened = open(new FullDisk(), MIN_FREE)) {
            long begin = assertNewest(reopened);
            assertTrue(begin > 0 && begin < pushed.get(3_000).address(), () -> "begin=" + begin);
        }
        assertClosedWhole();
    }

    /** As {@code loom retain} does. */
    @Test
    void shouldDeleteTheOldestSegmentsAboveANewLimit() {
        killed(16_000);
        try (Loom reopened =
                open(new FullDisk(), builder -> builder.minFreeBytes(0).maxBytes(8 << 20))) {
            assertTrue(assertNewest(reopened) > 0);
        }
        assertClosedWhole();
    }

    @Test
    void shouldDeleteTheOldestSegmentsAboveANewAge() {
        killed(4_000);
        clockNs += Duration.ofHours(1).toNanos();
        try (Loom reopened =
                open(new FullDisk(), builder -> builder.minFreeBytes(0).maxAge(Duration.ofMinutes(1)))) {
            assertTrue(assertNewest(reopened) > 0);
        }
        assertClosedWhole();
    }

    @Test
    void shouldStayAsItIsWithinItsLimits() {
        killed(4_000);
        FullDisk full = new FullDisk();
        assertThrows(StoreIoException.class, () -> open(full, 0));
        assertEquals(0, full.deletions);
        try (LoomReader reader = LoomReader.attach(store())) {
            assertEquals(0, assertNewest(reader));
        }
    }

    @Test
    void shouldStayAsItIsWhenRepaired() {
        killed(4_000);
        FullDisk full = new FullDisk();
        assertThrows(
                StoreIoException.class,
                () -> StoreAccess.repair(store(), full, builder -> builder.minFreeBytes(MIN_FREE)));
        assertEquals(0, full.deletions);
    }

    @Test
    void shouldMakeRoomForTheCopyOfTheOpenPageAfterAPowerCut() {
        openFirst();
        push(4_000);
        loom.close();
        loom = open(disk, builder -> builder.durabilityInterval(Duration.ofMillis(1)));
        push(10);
        while (loom.info().records().durable() < loom.info().records().tail()) {
            Thread.onSpinWait();
        }
        kill().cutPower();
        try (Loom reopened = open(new FullDisk(), MIN_FREE)) {
            assertTrue(assertNewest(reopened) > 0);
        }
        assertClosedWhole();
    }

    /** A compression that was killed leaves a copy of a segment. */
    @Test
    void shouldDeleteWhatAKillHasLeftRatherThanRecords() throws IOException {
        killed(4_000);
        Files.write(store().resolve("record/00000000000000000000.seg.1.tmp"), new byte[2 << 20]);
        FullDisk full = new FullDisk();
        try (Loom reopened = open(full, 0)) {
            assertEquals(0, assertNewest(reopened));
        }
        assertClosedWhole();
    }

    /** As where a snapshot of the file system shares the blocks. */
    @Test
    void shouldStopDeletingWhatFreesNothing() {
        killed(8_000);
        FullDisk full = new FullDisk();
        full.shared = true;
        assertThrows(StoreIoException.class, () -> open(full, 1));
        int before = full.deletions;
        assertEquals(FreedSpace.FRUITLESS_MAX, before);
        assertThrows(StoreIoException.class, () -> open(full, 1));
        assertEquals(before, full.deletions);
        try (LoomReader reader = LoomReader.attach(store())) {
            assertTrue(assertNewest(reader) > 0, "the killed writer's rings tell where the store begins now");
        }
        full.shared = false;
        try (Loom reopened = open(full, 1)) {
            assertNewest(reopened);
        }
        assertClosedWhole();
    }

    /** As where staging lies on the disk that is full of indexes which are about to be built again. */
    @Test
    void shouldGiveStagingTheRoomOfIndexesThatAreGivenUp() {
        openFirst();
        push(4_000);
        loom.close();
        int ring = LoomConfig.RING_BYTES_MIN;
        long capacity = StoreAccess.bytes(store()) + Staging.length(new Rings(ring, ring, ring)) - 1;
        Storage full = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return capacity - StoreAccess.bytes(store());
            }
        };
        try (Loom reopened = open(
                full, builder -> builder.stagingDirectory(temp).minFreeBytes(0).rebuildIndexes(true))) {
            assertEquals(0, assertNewest(reopened));
        }
        assertClosedWhole();
    }

    @Test
    void shouldRepairThoughAFileOfDeletedRecordsCanNeitherBeDeletedNorOpened() throws IOException {
        killed(4_000);
        open(new FullDisk(), MIN_FREE).close();
        disk = new SwitchedDisk();
        loom = open(disk, builder -> builder.minFreeBytes(0));
        push(300);
        loom.force();
        kill().cutPower();
        Path oldest = store().resolve("record/00000000000000000000.seg");
        Files.write(oldest, new byte[PAGE]);
        Storage held = new HookedStorage() {
            private void refuse(Path file) {
                if (file.equals(oldest)) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
            }

            @Override
            public void delete(Path file) {
                refuse(file);
                super.delete(file);
            }

            @Override
            public LoomFile openToRead(Path file) {
                refuse(file);
                return super.openToRead(file);
            }
        };
        StoreAccess.repair(store(), held, builder -> builder.minFreeBytes(0));
        assertTrue(Files.exists(oldest));
        assertClosedWhole();
    }

    @Test
    void shouldOpenAfterAKillAtAnyChangeOfTheRecovery() {
        StoreImage killed = killed(4_000);
        boolean recovered = false;
        int deletions = 0;
        for (int changes = 1; !recovered; changes++) {
            killed.restore();
            FullDisk full = new FullDisk();
            full.changesLeft = changes;
            assertThrows(LoomException.class, () -> open(full, MIN_FREE));
            recovered = new MarkFile(Storage.DISK, store().resolve("loom.mark"))
                    .read()
                    .closed();
            deletions = Math.max(deletions, full.deletions);
            try (LoomReader reader = LoomReader.attach(store())) {
                assertNewest(reader);
            }
            full.changesLeft = Integer.MAX_VALUE;
            try (Loom again = open(full, MIN_FREE)) {
                assertTrue(assertNewest(again) > 0);
            }
            assertClosedWhole();
        }
        assertTrue(deletions > 1, "deletions=" + deletions);
    }
}
