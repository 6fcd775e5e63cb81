package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.io.Storage;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.record.OwnRecord;
import dev.loom.record.PageRecords;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was dropped is told once, and for ever, wherever a writer or an opening is killed. */
final class LossRecoveryTest {
    private static final int STRIDE = Integer.getInteger("loom.stride", 4);

    /** Of the first source: marked by the log, then not; of the second, not marked. */
    private static final long MARKED = 1000;

    private static final long UNMARKED = 234;
    private static final long UNMARKED_OTHER = 5;

    @TempDir
    Path temp;

    /** Drops records and is killed. */
    static final class Writer {
        private Writer() {}

        @SuppressWarnings("MustBeClosedChecker")
        public static void main(String[] arguments) {
            Loom loom = Loom.open(StoreAccess.small(Path.of(arguments[0])).build());
            int source = loom.defineSource("source", Formats.bytes());
            int other = loom.defineSource("other", Formats.bytes());
            fill(loom, source, 40);
            StoreAccess.drop(loom, source, MARKED);
            fill(loom, source, 4);
            loom.force();
            if (arguments.length == 1) {
                StoreAccess.drop(loom, source, UNMARKED);
                StoreAccess.drop(loom, other, UNMARKED_OTHER);
            }
            HaltingProcess.halt();
        }

        private static void fill(Loom loom, int source, int pages) {
            byte[] payload = new byte[1000];
            for (int i = 0; i < pages * 64; i++) {
                loom.push(source, payload);
            }
        }
    }

    private StoreImage killed(String... more) throws Exception {
        Path store = temp.resolve("store");
        String[] arguments = new String[1 + more.length];
        arguments[0] = store.toString();
        System.arraycopy(more, 0, arguments, 1, more.length);
        HaltingProcess.run(Writer.class, arguments);
        return StoreImage.of(store);
    }

    private static long lost(Store store, int sourceId) {
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.statistics(sourceId).lost();
        }
    }

    /** What all markers in the log say was lost of a source. */
    private static long marked(Path store, int sourceId) {
        long lost = 0;
        try (AttachedStore attached = AttachedStore.attach(store, Storage.DISK)) {
            LogView log = attached.logs().records();
            long tail = log.watermarks().tailAcquire();
            try (PageRecords records = new PageRecords(log, tail, 0)) {
                for (long pageAddress = log.watermarks().beginAcquire();
                        pageAddress < tail;
                        pageAddress += PageDescriptor.PAGE_LENGTH) {
                    assertEquals(PageState.PRESENT, records.read(pageAddress));
                    while (records.next()) {
                        boolean ours = OwnRecord.kind(records.buffer(), records.offset()) == OwnRecord.LOSS
                                && OwnRecord.source(records.buffer(), records.offset()) == sourceId;
                        lost += ours ? OwnRecord.lost(records.buffer(), records.offset()) : 0;
                    }
                }
            }
        }
        return lost;
    }

    @Test
    void shouldKeepLossesWhenOpeningIsKilledAtAnyStep() throws Exception {
        StoreImage image = killed();
        keepsLosses(image, builder -> builder);
    }

    @Test
    void shouldKeepLossesWhenOpeningIsKilledAtAnyStepAndRewritesIndexes() throws Exception {
        StoreImage image = killed();
        keepsLosses(image, builder -> builder.rebuildIndexes(true).backgroundRebuildBytes(0));
    }

    private void keepsLosses(StoreImage image, UnaryOperator<LoomConfig.Builder> more) throws Exception {
        boolean failed = true;
        int changes = 0;
        for (int failFrom = 1; failed; failFrom += STRIDE) {
            image.restore();
            FailingStorage failing = new FailingStorage(failFrom);
            failed = fails(image.store(), failing, more);
            changes = failing.changes();
            String at = "killed at change=" + failFrom;
            try (Loom loom = StoreAccess.open(image.store(), new FailingStorage(0))) {
                assertEquals(MARKED + UNMARKED, lost(loom, 1), at);
                assertEquals(UNMARKED_OTHER, lost(loom, 2), at);
            }
            assertEquals(MARKED + UNMARKED, marked(image.store(), 1), at);
            assertEquals(UNMARKED_OTHER, marked(image.store(), 2), at);
        }
        assertTrue(changes > 20, "changes=" + changes);
        try (LoomReader reader = LoomReader.attach(image.store())) {
            assertEquals(MARKED + UNMARKED, lost(reader, 1));
        }
    }

    private static boolean fails(Path store, FailingStorage failing, UnaryOperator<LoomConfig.Builder> more) {
        try (Loom loom = StoreAccess.open(store, failing, more)) {
            loom.push(1, new byte[1]);
            return false;
        } catch (LoomException e) {
            return true;
        }
    }

    @Test
    void shouldTellLossesWhenThePowerIsCutBehindTheirMarkers() throws Exception {
        StoreImage image = killed("marked alone");
        image.cutPower();
        try (LoomReader reader = LoomReader.attach(image.store())) {
            assertEquals(MARKED, lost(reader, 1), "of a store that is not recovered");
        }
        for (int i = 0; i < 3; i++) {
            try (Loom loom = StoreAccess.open(image.store(), new FailingStorage(0))) {
                assertEquals(MARKED, lost(loom, 1), "opening=" + i);
            }
            try (LoomReader reader = LoomReader.attach(image.store())) {
                assertEquals(MARKED, lost(reader, 1), "closed=" + i);
            }
        }
    }

    @Test
    void shouldReportLossesWhenIndexesAreRewritten() throws Exception {
        StoreImage image = killed();
        for (long background : new long[] {1L << 30, 0}) {
            image.restore();
            try (Loom loom = StoreAccess.open(
                    image.store(),
                    new FailingStorage(0),
                    builder -> builder.rebuildIndexes(true).backgroundRebuildBytes(background))) {
                assertEquals(MARKED + UNMARKED, lost(loom, 1), "background=" + background);
            }
            try (LoomReader reader = LoomReader.attach(image.store())) {
                assertEquals(MARKED + UNMARKED, lost(reader, 1), "background=" + background);
            }
        }
    }

    /** Retention deletes markers as it does other records. */
    @ParameterizedTest
    @ValueSource(longs = {1L << 30, 0})
    void shouldReportLossesWhoseMarkersAreDeletedWhenIndexesAreRewritten(long background) {
        Path store = temp.resolve("store");
        UnaryOperator<LoomConfig.Builder> limited = builder -> builder.segmentBytes(4 * PageDescriptor.PAGE_LENGTH)
                .maxBytes(8 << 20)
                .minFreeBytes(0);
        try (Loom loom = StoreAccess.open(store, Storage.DISK, limited)) {
            int source = loom.defineSource("source", Formats.bytes());
            Writer.fill(loom, source, 4);
            StoreAccess.drop(loom, source, MARKED);
            Writer.fill(loom, source, 4);
            loom.force();
            while (loom.info().records().begin() < 16 * PageDescriptor.PAGE_LENGTH) {
                Writer.fill(loom, source, 16);
            }
            StoreAccess.drop(loom, source, UNMARKED);
            Writer.fill(loom, source, 4);
            assertEquals(MARKED + UNMARKED, lost(loom, source));
        }
        assertEquals(UNMARKED, marked(store, 1), "the other marker is deleted");
        for (int i = 0; i < 2; i++) {
            try (Loom loom = StoreAccess.open(
                    store,
                    Storage.DISK,
                    builder -> limited.apply(builder).rebuildIndexes(true).backgroundRebuildBytes(background))) {
                assertEquals(MARKED + UNMARKED, lost(loom, 1), "opening=" + i);
            }
            try (LoomReader reader = LoomReader.attach(store)) {
                assertEquals(MARKED + UNMARKED, lost(reader, 1), "closed=" + i);
            }
        }
    }
}
