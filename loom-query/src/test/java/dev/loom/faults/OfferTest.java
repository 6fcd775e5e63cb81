package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StorageOption;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.faults.FaultyStorage.Call;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An offer that is refused because the ring is full has no effect at all. */
class OfferTest {
    private static final long SEED = 23;
    private static final int SOURCES = 3;
    private static final int NEVER_PUSHED = 2;

    private final FaultyStorage storage = new FaultyStorage();
    private final StoreOracle oracle = new StoreOracle(SEED, SOURCES);
    private final long[] counts = new long[SOURCES];

    @TempDir
    Path temp;

    private long now = 1_000_000;

    private static long offer(Loom loom, int id, byte[] payload) {
        return loom.offer(id, new UnsafeBuffer(payload), 0, payload.length);
    }

    /** Offers the next record of a source, and counts it if it was taken. */
    private boolean offerNext(Loom loom, int[] ids, int source) {
        long status = offer(loom, ids[source], CheckedPayload.make(SEED, source, counts[source]));
        assertTrue(status >= 0 || status == PushStatus.BACK_PRESSURED);
        counts[source] += status >= 0 ? 1 : 0;
        return status >= 0;
    }

    @ParameterizedTest
    @EnumSource(Pressure.class)
    void shouldHaveNoEffectWhenTheRingIsFull(Pressure pressure) {
        LoomConfig.Builder builder =
                PushingProcess.config(temp.resolve("store")).pressure(pressure).clock(() -> now);
        Loom loom = Loom.open(StorageOption.with(builder, storage).build());
        int[] ids = oracle.define(loom);
        storage.fail(Call.WRITE, 1, true);
        int turn = 0;
        while (offerNext(loom, ids, turn % NEVER_PUSHED)) {
            turn++;
        }
        // a record of no bytes may still fit where a longer one did not
        while (offer(loom, ids[0], CheckedPayload.make(SEED, 0, counts[0], 28)) >= 0) {
            counts[0]++;
        }

        List<Object> before = effects(loom, ids);
        now = 9_000_000;
        for (int i = 0; i < 50; i++) {
            for (int id : ids) {
                assertEquals(PushStatus.BACK_PRESSURED, offer(loom, id, new byte[28 + i]));
                assertEquals(PushStatus.BACK_PRESSURED, offer(loom, id, new byte[65_456]));
                assertEquals(PushStatus.BACK_PRESSURED, offer(loom, id, new byte[loom.payloadLengthMax()]));
                assertEquals(PushStatus.BACK_PRESSURED, loom.tryClaim(id, 28 + i));
                assertEquals(PushStatus.BACK_PRESSURED, offerBatch(loom, id, 28 + i, 28));
            }
        }
        assertEquals(before, effects(loom, ids));

        now = 2_000_000;
        storage.heal();
        while (offer(loom, ids[NEVER_PUSHED], CheckedPayload.make(SEED, NEVER_PUSHED, 0)) < 0) {
            Thread.onSpinWait();
        }
        counts[NEVER_PUSHED]++;
        try (Snapshot snapshot = loom.snapshot();
                QueryCursor cursor = RawScan.of(snapshot, ids[NEVER_PUSHED]).open()) {
            assertTrue(cursor.next());
            assertEquals(2_000_000, cursor.timeNs(), "the time of an offer that was refused");
        }
        loom.close();
        try (Loom again = Loom.open(builder.build())) {
            assertEquals(0L, again.info().epoch());
        }
        assertEquals(List.of(counts[0], counts[1], counts[2]), records(temp.resolve("store")));
    }

    private static int offerBatch(Loom loom, int id, int... lengths) {
        return loom.offerBatch(
                id, new UnsafeBuffer(new byte[IntStream.of(lengths).sum()]), 0, lengths, lengths.length);
    }

    @Test
    void shouldTakeTheFirstOfABatchWhenNotAllHaveRoom() {
        LoomConfig.Builder builder = PushingProcess.config(temp.resolve("store"));
        try (Loom loom = Loom.open(StorageOption.with(builder, storage).build())) {
            int id = loom.defineSource("a", Formats.bytes());
            storage.fail(Call.WRITE, 1, true);
            int[] lengths = new int[1_000];
            Arrays.fill(lengths, 1_000);
            long taken = 0;
            int batch;
            do {
                batch = offerBatch(loom, id, lengths);
                taken += Math.max(0, batch);
            } while (batch == lengths.length);
            assertTrue(batch > 0, "the last page has room for some");
            assertEquals(PushStatus.BACK_PRESSURED, offerBatch(loom, id, 1_000));
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(taken, snapshot.statistics(id).records());
            }
            storage.heal();
        }
    }

    @Test
    void shouldTellThatTheSourceIsClosedWhenABatchOrAClaimIsOffered() {
        try (Loom loom = Loom.open(PushingProcess.config(temp.resolve("store")).build())) {
            int id = loom.defineSource("a", Formats.bytes());
            assertEquals(2, offerBatch(loom, id, 8, 0));
            assertEquals(0, offerBatch(loom, id));
            assertTrue(loom.tryClaim(id, 8) >= 0);
            loom.claimed().commit();
            loom.closeSource(id);
            assertEquals(PushStatus.SOURCE_CLOSED, offerBatch(loom, id, 8));
            assertEquals(PushStatus.SOURCE_CLOSED, loom.tryClaim(id, 8));
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(3, snapshot.statistics(id).records());
            }
        }
    }

    /** All that can be seen of a store and is not the disk's doing. */
    private List<Object> effects(Loom loom, int[] ids) {
        List<Object> effects = new ArrayList<>();
        StoreInfo info = loom.info();
        effects.add(info.session().orElseThrow().waits());
        effects.add(info.session().orElseThrow().refused());
        effects.add(info.records().tail());
        effects.add(info.records().sealed());
        effects.add(info.times().tail());
        try (Snapshot snapshot = loom.snapshot()) {
            effects.add(snapshot.tailAddress());
            effects.add(snapshot.lastTimeNs());
            for (int id : ids) {
                effects.add(snapshot.statistics(id));
            }
        }
        return effects;
    }

    private List<Long> records(Path store) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.sources().stream()
                    .map(Source::id)
                    .map(id -> snapshot.statistics(id).records())
                    .toList();
        }
    }
}
