package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mark of an earlier session in the place of the present one. */
final class EarlierMarkTest {
    private static final int RECORDS = 500;

    @TempDir
    Path temp;

    private Path store() {
        return temp.resolve("store");
    }

    private Path mark() {
        return store().resolve("loom.mark");
    }

    private void session(int records) {
        try (Loom loom = Loom.open(StoreAccess.small(store())
                .segmentBytes(256 << 10)
                .maxBytes(1 << 30)
                .minFreeBytes(0)
                .build())) {
            int source =
                    loom.source("source").map(Source::id).orElseGet(() -> loom.defineSource("source", Formats.bytes()));
            for (int i = 0; i < records; i++) {
                loom.push(source, new byte[1_000]);
            }
        }
    }

    private long count() {
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.statistics(1).records();
        }
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(store().resolve("record"))) {
            return files.sorted(Comparator.naturalOrder()).toList();
        }
    }

    private void assertRefused() {
        for (CorruptStoreException refused : List.of(
                assertThrows(CorruptStoreException.class, this::count),
                assertThrows(CorruptStoreException.class, () -> session(1)))) {
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("the mark is of an earlier session") && message.contains("loom.mark"), message);
        }
    }

    @Test
    void shouldRefuseReadersAndWritersAndChangeNothing() throws IOException {
        session(RECORDS);
        byte[] earlier = Files.readAllBytes(mark());
        session(RECORDS);
        byte[] present = Files.readAllBytes(mark());
        Path last = segments().get(segments().size() - 1);
        byte[] records = Files.readAllBytes(last);
        Files.write(mark(), earlier);
        assertRefused();
        assertArrayEquals(records, Files.readAllBytes(last));
        assertArrayEquals(earlier, Files.readAllBytes(mark()));
        Files.write(mark(), present);
        assertEquals(2 * RECORDS, count());
    }

    @Test
    void shouldLookBehindTheSegmentInWhichTheMarkEnds() throws IOException {
        session(RECORDS);
        byte[] earlier = Files.readAllBytes(mark());
        int ended = segments().size() - 1;
        session(2 * RECORDS);
        Files.write(mark(), earlier);
        Files.delete(segments().get(ended));
        assertRefused();
    }

    /** A reader may have read the mark just before a writer opened the store and pushed. */
    @Test
    void shouldNotRefuseReadersOfAStoreThatIsOpenedAndClosedMeanwhile() throws Exception {
        session(1);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            while (!stop.get() && failure.get() == null) {
                try {
                    count();
                } catch (CorruptStoreException | AssertionError e) {
                    failure.set(e);
                } catch (LoomException e) {
                    // the writer is opening or closing it
                }
            }
        });
        reader.start();
        for (int i = 0; i < 30; i++) {
            session(100);
        }
        stop.set(true);
        reader.join();
        assertNull(failure.get(), () -> String.valueOf(failure.get()));
    }

    /** A store may have thousands of segments, and a writer that comes may delete the first meanwhile. */
    @Test
    void shouldOpenNoOldSegmentToLookBehindTheEnd() throws IOException {
        session(5 * RECORDS);
        List<Path> segments = segments();
        assertTrue(segments.size() > 5, segments.toString());
        Set<Path> opened = new HashSet<>();
        HookedStorage storage = new HookedStorage() {
            @Override
            public LoomFile openToRead(Path file) {
                opened.add(file);
                return super.openToRead(file);
            }
        };
        AttachedStore.attach(store(), storage).close();
        segments.subList(0, segments.size() - 1)
                .forEach(segment -> assertFalse(opened.contains(segment), opened::toString));
        assertTrue(opened.contains(segments.get(segments.size() - 1)), opened.toString());
    }
}
