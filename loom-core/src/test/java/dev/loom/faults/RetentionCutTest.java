package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.store.MarkForger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Cuts the power of a store before or after any kind of call to its disk while it deletes its oldest segments because the disk is
 * short of room: what is left begins where the store says, lacks nothing from there on, and nothing deleted comes back.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of stores, {@code -Dloom.test.seed=S} the seed of the first.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RetentionCutTest {
    private static final int CUTS_PER_STORE = 4;
    private static final long SEGMENT = 3 << 16;
    private static final long DISK = 4 << 20;

    /** How many records were durable after a number of calls to the disk, and where the store began. */
    private record Promise(int calls, long records, long begin) {}

    @TempDir
    Path temp;

    private long seed;
    private Random random = new Random(0);
    private final List<Promise> promises = new ArrayList<>();
    private long pushed;
    private long durable;
    private long begin;
    private long compared;

    /** How often the power was cut at each kind of call. */
    private final Map<String, Integer> points = new TreeMap<>();

    @Test
    void shouldBeginWhereItSaysWhenThePowerIsCutDuringDeletion() throws IOException {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int rounds = Integer.getInteger("loom.rounds", 6);
        System.out.println("RetentionCutTest: -Dloom.test.seed=" + first + " rounds=" + rounds);
        long deleted = 0;
        for (int round = 0; round < rounds; round++) {
            seed = first + round;
            try {
                liveAndBeCut(temp.resolve("round-" + round));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed=" + seed, e);
            }
            deleted += begin;
        }
        System.out.println("RetentionCutTest: cuts by call=" + points);
        System.out.println("row=R6 faults=" + rounds * CUTS_PER_STORE + " checked=" + compared + " seed=" + first
                + " kinds=" + points.size() + " least=" + Collections.min(points.values()));
        assertTrue(deleted > 0, "nothing was deleted");
    }

    private void liveAndBeCut(Path parent) throws IOException {
        random = new Random(seed);
        promises.clear();
        pushed = 0;
        durable = 0;
        begin = 0;
        Path disk = Files.createDirectories(parent.resolve("disk-0"));
        for (int cut = 1; cut <= CUTS_PER_STORE; cut++) {
            CrashStorage storage = new CrashStorage(disk);
            live(disk.resolve("store"), storage);
            int calls = anywhere(storage);
            Path next = Files.createDirectory(parent.resolve("disk-" + cut));
            storage.cut(calls, random, next);
            delete(disk);
            disk = next;
            MarkForger.ofEarlierBoot(disk.resolve("store"));
            promises.stream().filter(promise -> promise.calls <= calls).forEach(promise -> {
                durable = Math.max(durable, promise.records);
                begin = Math.max(begin, promise.begin);
            });
            promises.clear();
        }
        CrashStorage storage = new CrashStorage(disk);
        live(disk.resolve("store"), storage);
        begin = promises.get(promises.size() - 1).begin;
        delete(disk);
    }

    /** Before or after a call. Each kind of call is as likely as any other, however few there are of it. */
    private int anywhere(CrashStorage storage) {
        Map<String, List<Integer>> kinds = new TreeMap<>();
        for (int call = 0; call < storage.calls(); call++) {
            kinds.computeIfAbsent(storage.point(call), kind -> new ArrayList<>())
                    .add(call);
        }
        String kind = List.copyOf(kinds.keySet()).get(random.nextInt(kinds.size()));
        points.merge(kind, 1, Integer::sum);
        List<Integer> calls = kinds.get(kind);
        return calls.get(random.nextInt(calls.size())) + random.nextInt(2);
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private LoomConfig.Builder configure(LoomConfig.Builder builder) {
        return builder.segmentBytes(SEGMENT)
                .maxBytes(LoomConfig.UNLIMITED)
                .minFreeBytes(1 << 20)
                .rebuildIndexes(random.nextInt(4) == 0)
                .backgroundRebuildBytes((long) random.nextInt(8) << 16)
                .durabilityInterval(Duration.ofMillis(1))
                .durabilityBytes(1 << 16)
                .compressAfter(random.nextBoolean() ? Duration.ZERO : null)
                .compressionShare(1);
    }

    private void live(Path store, CrashStorage storage) throws IOException {
        attach(store);
        try (Loom loom = StoreAccess.open(store, storage, this::configure)) {
            if (loom.source("s").isEmpty()) {
                loom.defineSource("s", Formats.bytes());
            }
            check(loom, true);
            promise(loom, storage);
            storage.capacity(DISK);
            for (int parts = 1 + random.nextInt(6); parts > 0; parts--) {
                push(loom, random.nextInt(1_000));
                loom.force();
                promise(loom, storage);
            }
            check(loom, true);
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            unreferenced(reader, store);
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file + "@" + offset + ": " + message));
        assertEquals(List.of(), problems);
    }

    private void push(Loom loom, int records) {
        int source = loom.source("s").orElseThrow().id();
        for (int i = 0; i < records; i++) {
            loom.push(source, CheckedPayload.make(seed, 0, pushed));
            pushed++;
        }
    }

    private void promise(Loom loom, CrashStorage storage) {
        promises.add(new Promise(storage.calls(), pushed, loom.info().records().begin()));
    }

    /** What a reader finds before the recovery. */
    private void attach(Path store) {
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader, false);
        } catch (LoomException e) {
            assertEquals(0, durable, () -> "a store with durable records can't be read: " + e);
        }
    }

    /** @param recovered whether records that are not there are lost for good */
    private void check(Store store, boolean recovered) {
        long end = -1;
        for (int attempt = 0; end < 0; attempt++) {
            assertTrue(attempt < 100, "records below the store's begin are read again and again");
            end = checkOnce(store);
        }
        assertTrue(end >= durable && end <= pushed, "end=" + end + ", durable=" + durable + ", pushed=" + pushed);
        if (recovered) {
            pushed = end;
        }
    }

    /** The end of the records; -1 if something was deleted meanwhile, as while indexes are rebuilt. */
    private long checkOnce(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            long begins = snapshot.beginAddress();
            assertTrue(begins >= begin, () -> "begins again at " + begins);
            int source = snapshot.source("s").map(each -> each.id()).orElse(0);
            if (source == 0) {
                return 0;
            }
            long first = -1;
            long next = -1;
            try (RecordCursor cursor = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                while (cursor.next()) {
                    long sequence = CheckedPayload.check(seed, 0, cursor.buffer(), cursor.offset(), cursor.length());
                    assertTrue(next < 0 || sequence == next || cursor.expired(), () -> "sequence=" + sequence);
                    if (cursor.address() < begins) {
                        return -1; // deleted after the snapshot was taken, and not gone yet
                    }
                    first = first < 0 ? sequence : first;
                    next = sequence + 1;
                    compared++;
                }
                assertEquals(0, cursor.damaged());
            }
            Source.Statistics counted = snapshot.statistics(source);
            if (snapshot.beginAddress() > begins) {
                return -1;
            }
            assertTrue(first <= 0 || begins > 0, "first=" + first);
            assertEquals(first < 0 ? 0 : next - first, counted.records(), () -> store.info() + " " + counted);
            return Math.max(next, 0);
        }
    }

    private static void unreferenced(Store closed, Path store) {
        for (String log : List.of("record", "time", "chunk")) {
            long begins = switch (log) {
                case "record" -> closed.info().records().begin();
                case "time" -> closed.info().times().begin();
                default -> closed.info().chunks().begin();
            };
            for (String name : store.resolve(log).toFile().list()) {
                long end = Long.parseLong(name.substring(0, 20)) + SEGMENT;
                assertFalse(end <= begins, () -> log + "/" + name + " is left, begin=" + begins);
            }
        }
    }
}
