package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Blocks and pages of a closed store's files are zeroes, or what belongs elsewhere: to another place of the file, to another
 * file, to an earlier state of the store, or to another store. Records of other pages are still served, none is served twice,
 * out of order, or of another store, and what is missing is said.
 *
 * <p>{@code -Dloom.mutations=N} sets how many such files, {@code -Dloom.test.seed=S} the seed of the first.
 */
@Timeout(value = 6, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MisplacedBlocksTest {
    private static final long SEED = 13;
    private static final int SOURCES = 2;
    private static final int BLOCK = 4096;
    private static final int PAGE = 1 << 16;
    private static final int SEGMENT = 2 * PAGE;
    private static final PayloadFormat FORMAT =
            Formats.struct("seed:i64,source:u32,length:u32,sequence:i64,rest:bytes");
    private static final IndexFunction LENGTH = IndexFunction.field(FORMAT, "length");

    /** What is where a part of a file should be, or all of it. */
    private enum Misplaced {
        ZEROES,
        COPY_IN_FILE,
        SWAP_IN_FILE,
        OF_ANOTHER_FILE,
        OF_THE_PAST,
        OF_ANOTHER_STORE,
        FILE_OF_THE_PAST,
        FILE_OF_ANOTHER_STORE,
        ANOTHER_FILE
    }

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path past = Path.of("");
    private Path other = Path.of("");

    /** The page of each record, by source. */
    private final List<List<Long>> pages = List.of(new ArrayList<>(), new ArrayList<>());

    private final Map<Misplaced, Integer> done = new EnumMap<>(Misplaced.class);
    private long compared;
    private int refused;

    private long tail;

    @Test
    void shouldServeTheRestAndSayWhatIsMissing() throws IOException {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int mutations = Integer.getInteger("loom.mutations", 150);
        System.out.println("MisplacedBlocksTest: -Dloom.test.seed=" + first + " -Dloom.mutations=" + mutations);
        makeStores();
        List<Path> files = files();
        int changes = 0;
        for (long seed = first; changes < mutations; seed++) {
            Random random = new Random(seed);
            Path file = files.get(random.nextInt(files.size()));
            Misplaced how = Misplaced.values()[changes % Misplaced.values().length];
            byte[] whole = Files.readAllBytes(store.resolve(file));
            byte[] changed = change(how, file, whole, files.get(random.nextInt(files.size())), random);
            if (!Arrays.equals(whole, changed)) {
                Files.write(store.resolve(file), changed);
                try {
                    check(file, lost(file, whole, changed));
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("-Dloom.test.seed=" + seed + ", file=" + file + ", how=" + how, e);
                }
                Files.write(store.resolve(file), whole);
                done.merge(how, 1, Integer::sum);
                changes++;
            }
        }
        System.out.println("row=R9 faults=" + changes + " checked=" + compared + " seed=" + first + " refused="
                + refused + " " + done);
        assertTrue(mutations < 100 || done.size() == Misplaced.values().length, done::toString);
    }

    private static LoomConfig.Builder config(Path directory) {
        return PushingProcess.config(directory).segmentBytes(SEGMENT);
    }

    /** Two stores of the same records, and what one of them was half way. Some of their segments are compressed. */
    private void makeStores() throws IOException {
        for (String name : List.of("other", "store")) {
            pages.forEach(List::clear);
            Path directory = temp.resolve(name);
            try (Loom loom = Loom.open(config(directory)
                    .compressAfter(Duration.ZERO)
                    .compressionShare(1)
                    .build())) {
                for (int i = 0; i < SOURCES; i++) {
                    loom.defineIndex(
                            loom.defineSource(StoreOracle.name(i), FORMAT), "length", LENGTH, Bins.logLinear());
                }
                push(loom, 500);
                loom.force();
                while (Files.size(directory.resolve("record/00000000000000000000.seg")) == SEGMENT) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            copy(directory, temp.resolve(name + "-past"));
            try (Loom loom = Loom.open(config(directory).build())) {
                push(loom, 500);
            }
        }
        store = temp.resolve("store");
        past = temp.resolve("store-past");
        other = temp.resolve("other");
        try (LoomReader reader = LoomReader.attach(store)) {
            tail = reader.info().records().tail();
        }
    }

    private void push(Loom loom, int records) {
        for (int i = 0; i < records; i++) {
            List<Long> of = pages.get(i % SOURCES);
            byte[] payload = CheckedPayload.make(SEED, i % SOURCES, of.size(), 40 + i * 7 % 1_500);
            of.add(loom.push(1 + i % SOURCES, payload) / PAGE * PAGE);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> walk = Files.walk(from)) {
            for (Path file : walk.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> walk = Files.walk(store)) {
            return walk.filter(
                            file -> Files.isRegularFile(file) && file.toFile().length() > 0)
                    .map(store::relativize)
                    .sorted()
                    .toList();
        }
    }

    private byte[] change(Misplaced how, Path file, byte[] whole, Path another, Random random) throws IOException {
        byte[] source = switch (how) {
            case ZEROES -> new byte[whole.length];
            case COPY_IN_FILE, SWAP_IN_FILE -> whole;
            case OF_ANOTHER_FILE, ANOTHER_FILE -> content(store.resolve(another));
            case OF_THE_PAST, FILE_OF_THE_PAST -> content(past.resolve(file));
            case OF_ANOTHER_STORE, FILE_OF_ANOTHER_STORE -> content(other.resolve(file));
        };
        if (how == Misplaced.FILE_OF_THE_PAST
                || how == Misplaced.FILE_OF_ANOTHER_STORE
                || how == Misplaced.ANOTHER_FILE) {
            return source;
        }
        byte[] changed = whole.clone();
        int unit = random.nextBoolean() ? BLOCK : PAGE;
        for (int i = random.nextInt(3); i >= 0; i--) {
            int to = random.nextInt((whole.length - 1) / unit + 1) * unit;
            boolean moved =
                    how == Misplaced.COPY_IN_FILE || how == Misplaced.SWAP_IN_FILE || how == Misplaced.OF_ANOTHER_FILE;
            int from = moved ? random.nextInt(Math.max(source.length - 1, 0) / unit + 1) * unit : to;
            int length = Math.min(unit, Math.min(whole.length - to, source.length - from));
            if (length > 0) {
                System.arraycopy(source, from, changed, to, length);
                if (how == Misplaced.SWAP_IN_FILE) {
                    System.arraycopy(whole, to, changed, from, length);
                }
            }
        }
        return changed;
    }

    private static byte[] content(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
    }

    /** The pages of records that may be lost: those that are not as they were, of a compressed segment all, and all with the mark. */
    private Set<Long> lost(Path file, byte[] whole, byte[] changed) {
        Set<Long> lost = new HashSet<>();
        if (file.endsWith("loom.mark")) {
            pages.forEach(lost::addAll);
        }
        if (file.startsWith("record")) {
            long first = Long.parseLong(file.getFileName().toString().substring(0, 20));
            boolean compressed = whole.length % PAGE != 0;
            for (int at = 0; at < SEGMENT; at += PAGE) {
                int end = Math.min(at + PAGE, whole.length);
                if (compressed
                        || (at < end && (changed.length < end || !Arrays.equals(whole, at, end, changed, at, end)))) {
                    lost.add(first + at);
                }
            }
        }
        return lost;
    }

    private void check(Path file, Set<Long> lost) {
        boolean whole = true;
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(tail, reader.info().records().tail());
            for (int source = 0; source < SOURCES; source++) {
                List<Long> all = pages.get(source);
                whole &= check(snapshot, source, all, lost);
            }
        } catch (LoomException e) {
            assertTrue(file.endsWith("loom.mark"), () -> "a wrong mark alone may keep a store from being read: " + e);
            refused++;
            return;
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store, (where, offset, message) -> problems.add(where.getFileName() + "@" + offset + message));
        assertFalse(!whole && problems.isEmpty(), "a verification finds nothing");
    }

    /** Whether all of a source's records are there. */
    private boolean check(Snapshot snapshot, int source, List<Long> all, Set<Long> lost) {
        boolean whole = true;
        for (Order order : Order.values()) {
            List<Integer> found = new ArrayList<>();
            try (QueryCursor cursor =
                    RawScan.of(snapshot, 1 + source).order(order).open()) {
                while (cursor.next()) {
                    found.add((int)
                            CheckedPayload.check(SEED, source, cursor.buffer(), cursor.offset(), cursor.length()));
                }
                compared += found.size();
                assertTrue(
                        found.size() == all.size() || !cursor.completeness().complete(),
                        "records are missing and it is called complete");
            }
            if (order == Order.NEWEST_FIRST) {
                Collections.reverse(found);
            }
            assertEquals(found.stream().sorted().distinct().toList(), found, "order");
            Set<Integer> served = new HashSet<>(found);
            for (int i = 0; i < all.size(); i++) {
                int record = i;
                assertTrue(
                        served.contains(i) || lost.contains(all.get(i)),
                        () -> "missing: source=" + source + ", record=" + record);
            }
            whole &= found.size() == all.size();
        }
        IndexedAggregate.Result lengths =
                IndexedAggregate.of(snapshot, 1 + source, LENGTH).run();
        assertTrue(
                lengths.count() == all.size()
                        || (!whole && !lengths.completeness().complete()),
                "records by index");
        return whole;
    }
}
