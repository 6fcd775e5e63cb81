package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreNotFoundException;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
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
        Told following = new Told() {
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
        assertEquals(List.of("3: lost=5", "4: lost=2"), following.told);
    }

    @Test
    void shouldTellOfALossBetweenTheLastRecordsIfItFollows() {
        store.lose(7, 3_000, (COUNT - 2) * 1_000L);
        for (boolean follow : new boolean[] {false, true}) {
            cancelled = false;
            Told last = new Told() {
                @Override
                public void onFlush() {
                    cancelled = true;
                }
            };
            assertEquals(7, tail(3, follow, last).completeness().lost());
            assertEquals(follow ? List.of("0: lost=7") : List.of(), last.told);
        }
    }

    /** What was deleted was there when it looked last; the looks that come after lack nothing. */
    @Test
    void shouldTellWhatWasDeletedBeforeTheRecordsThatFollow() {
        store.limit(8 << 20);
        Told following = new Told() {
            private int flushes;

            @Override
            public void onFlush() {
                flushes++;
                cancelled = flushes > 4;
                if (flushes == 1) {
                    push(300, 100_000);
                } else {
                    store.push(5, 200);
                }
            }
        };
        assertTrue(tail(3, true, following).completeness().expired());
        assertEquals(3, following.firstGap());
        assertEquals(List.of("3: expired"), following.told);
    }

    /** It is stopped within a look: the page at hand is read, those that come next are not there any more. */
    @Test
    void shouldTellWhereItsLookWasOvertaken() {
        store.limit(8 << 20);
        Told following = overtaken(2_000, 300, 100);
        assertTrue(tail(3, true, following).completeness().expired());
        assertEquals(List.of(following.firstGap() + ": expired"), following.told);
    }

    /** A reader that is slow all the time meets the oldest segment, which is the next to be deleted, again and again. */
    @Test
    void shouldTellEachTimeItsLookIsOvertaken() {
        store.limit(8 << 20);
        Told following = overtaken(7_000, 30, 100, 200);
        tail(3, true, following);
        List<String> expected = following.gaps();
        assertTrue(expected.size() >= 2, expected::toString);
        if (following.told.size() > expected.size()) {
            expected.add(following.rows.size() + ": expired"); // behind the last one that was left
        }
        assertEquals(expected, following.told);
    }

    @Test
    void shouldTellOfADamagedPageOnceWhereItIs() {
        Told following = new Told() {
            private int flushes;

            @Override
            public void onFlush() {
                flushes++;
                cancelled = flushes > 4;
                if (flushes == 1) {
                    long from = store.tailAddress();
                    push(2_000, 1_000);
                    damage(from + (1 << 19));
                } else {
                    store.push(5, 200);
                }
            }

            private void damage(long address) {
                try {
                    store.damage(address);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        assertEquals(1, tail(3, true, following).completeness().damagedPages());
        assertEquals(List.of(following.firstGap() + ": damaged=1"), following.told);
    }

    /**
     * Follows through one look, in which others push.
     *
     * @param behind records of 1,000 bytes that it has to catch up with
     * @param later records of 100,000 bytes, each time that it has been given one of these numbers of records
     */
    private Told overtaken(int behind, int later, int... given) {
        return new Told() {
            private boolean pushed;

            @Override
            public void onFlush() {
                cancelled = pushed;
                if (!pushed) {
                    push(behind, 1_000);
                }
            }

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                super.onRecord(timeNs, address, buffer, offset, length);
                if (IntStream.of(given).anyMatch(count -> count == rows.size())) {
                    pushed = true;
                    push(later, 100_000);
                }
            }
        };
    }

    private void push(int records, int length) {
        for (int i = 0; i < records; i++) {
            store.push(5, length);
        }
        store.force();
    }

    /** Keeps what was missing, with the number of records before it. */
    private static class Told extends TimedStore.Kept {
        final List<String> told = new ArrayList<>();

        @Override
        public void onMissing(Completeness missing) {
            told.add(rows.size() + ":" + (missing.lost() > 0 ? " lost=" + missing.lost() : "")
                    + (missing.damagedPages() > 0 ? " damaged=" + missing.damagedPages() : "")
                    + (missing.expired() ? " expired" : ""));
        }

        /** What is to be told if records are missing because they were deleted. */
        List<String> gaps() {
            List<String> gaps = new ArrayList<>();
            for (int i = 1; i < rows.size(); i++) {
                if (rows.get(i).get(1) != rows.get(i - 1).get(1) + 1) {
                    gaps.add(i + ": expired");
                }
            }
            return gaps;
        }

        /** How many records came before the first one that does not follow the one before it. */
        int firstGap() {
            int count = 1;
            while (count < rows.size()
                    && rows.get(count).get(1) == rows.get(count - 1).get(1) + 1) {
                count++;
            }
            return count;
        }
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
