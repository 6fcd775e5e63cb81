package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreNotFoundException;
import dev.loom.query.model.QueryMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a tail says of records that were lost: each loss once, and none that it would not have shown. */
final class TailLossTest {
    private static final int COUNT = 2_000;

    @TempDir
    Path directory;

    private volatile boolean cancelled;
    private final QueryService service = TimedStore.service(QueryMemory.UNLIMITED, () -> cancelled);
    private TimedStore store;

    @BeforeEach
    void fill() {
        store = new TimedStore(directory);
        for (int i = 0; i < COUNT; i++) {
            store.push(5, 200);
        }
    }

    @AfterEach
    void close() {
        store.close();
    }

    private QueryReport tail(long lines, boolean follow, ResultHandler results) {
        return service.tail(
                store::reader,
                snapshot -> new TailRequest(store.source(), List.of(), lines, follow, QueryLimits.NONE),
                results);
    }

    @Test
    void shouldNotMissWhatWasLostBeforeItsRecords() {
        store.lose(7, 3_000);
        assertEquals(0, tail(3, false, new TimedStore.Kept()).completeness().lost());
        assertEquals(
                7, tail(COUNT + 1, false, new TimedStore.Kept()).completeness().lost());
    }

    @Test
    void shouldCountOnceWhatWasLostBetweenItsRecords() {
        store.lose(7, 3_000, (COUNT - 2) * 1_000L);
        assertEquals(7, tail(3, false, new TimedStore.Kept()).completeness().lost());
        assertEquals(7, tail(COUNT, false, new TimedStore.Kept()).completeness().lost());
    }

    /** The loss is later than all records, and so in the range of each look for new ones. */
    @Test
    void shouldCountOnceWhatIsLostWhileItFollows() {
        TimedStore.Kept following = new TimedStore.Kept() {
            private int flushes;

            @Override
            public void onFlush() {
                flushes++;
                if (flushes == 1) {
                    store.lose(5, COUNT * 1_000L, (COUNT + 50) * 1_000L);
                } else if (flushes == 2) {
                    store.lose(2, (COUNT + 1) * 1_000L, (COUNT + 60) * 1_000L);
                }
                cancelled = flushes > 4;
                if (!cancelled) {
                    store.push(5, 200);
                }
            }
        };
        assertEquals(7, tail(3, true, following).completeness().lost());
        assertEquals(7, following.rows.size());
    }

    /** Sources and addresses of the other one mean other things. */
    @Test
    void shouldNotGoOnInAnotherStore() {
        Path elsewhere = directory.resolve("elsewhere");
        try (TimedStore other = new TimedStore(elsewhere)) {
            other.push(5, 200);
            other.force();
            AtomicInteger attached = new AtomicInteger();
            TimedStore.Kept following = new TimedStore.Kept() {
                @Override
                public void onFlush() {
                    store.limit(1 << 30); // by another writer, so it must be attached again
                }
            };
            StoreNotFoundException e = assertThrows(
                    StoreNotFoundException.class,
                    () -> service.tail(
                            () -> attached.getAndIncrement() == 0 ? store.reader() : other.reader(),
                            snapshot -> new TailRequest(store.source(), List.of(), 3, true, QueryLimits.NONE),
                            following));
            assertTrue(e.getMessage().startsWith("another store has taken the place"), e::getMessage);
            assertEquals(3, following.rows.size());
        }
    }

    @Test
    void shouldNotCallRecordsExpiredThatItDoesNotShow() {
        store.limit(8 << 20);
        for (int i = 0; i < 300; i++) {
            store.push(5, 100_000);
        }
        store.force();
        assertFalse(tail(3, false, new TimedStore.Kept()).completeness().expired());
    }
}
