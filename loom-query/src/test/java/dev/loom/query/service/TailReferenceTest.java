package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a tail says of damaged pages that the records it looks at refer to. */
final class TailReferenceTest {
    private static final int RING = LoomConfig.RING_BYTES_MIN;

    @TempDir
    Path directory;

    private volatile boolean cancelled;
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 16]);
    private final List<Long> shared = new ArrayList<>();
    private Loom loom;
    private int contexts;
    private int records;

    @BeforeEach
    void open() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(RING)
                .timeRingBytes(RING)
                .chunkRingBytes(RING)
                .segmentBytes(16 << 20)
                .build());
        contexts = loom.defineSource("contexts", Formats.parse("shared"));
        records = loom.defineSource("records", Formats.parse("referring"));
        // two pages, each with several records, that the ring no longer has
        for (int i = 0; i < 8; i++) {
            shared.add(loom.push(contexts, payload, 0, 16_000));
        }
        int others = loom.defineSource("others", Formats.bytes());
        for (int i = 0; i < 2 * RING / 60_000; i++) {
            loom.push(others, payload, 0, 60_000);
        }
        loom.force();
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private void damagePageOf(long address) {
        Path file = directory.resolve("record").resolve("0".repeat(20) + ".seg");
        try (RandomAccessFile segment = new RandomAccessFile(file.toFile(), "rw")) {
            segment.seek(address + 20);
            int read = segment.read();
            segment.seek(address + 20);
            segment.write(~read);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void refer(int which) {
        payload.putLong(0, shared.get(which));
        loom.push(records, payload, 0, 8);
    }

    /** Keeps what was missing, with the number of the look in which it was told. */
    private final class Told implements ResultHandler {
        final List<String> told = new ArrayList<>();
        private int looks;

        @Override
        public void onFlush() {
            looks++;
            cancelled = looks > 5;
            // in each look several records of the first page, later those of the second one, too
            refer(0);
            refer(1);
            if (looks > 3) {
                refer(6);
                refer(7);
            }
        }

        @Override
        public void onMissing(Completeness missing) {
            told.add(looks + ": damaged=" + missing.damagedPages());
        }
    }

    @Test
    void shouldTellOfEachDamagedPageOnceHoweverManyRecordsReferToIt() {
        damagePageOf(shared.get(0));
        damagePageOf(shared.get(7));
        Source source = loom.source("records").orElseThrow();
        QueryService service = TimedStore.service(QueryMemory.UNLIMITED, () -> cancelled);
        Told following = new Told();
        QueryReport report = service.tail(
                () -> LoomReader.attach(directory),
                snapshot -> new TailRequest(source, List.of(Where.parse("shared >= 0")), 0, true, QueryLimits.NONE),
                following);
        assertEquals(List.of("1: damaged=1", "4: damaged=1"), following.told);
        assertEquals(2, report.completeness().damagedPages());
    }

    @Test
    void shouldCountADamagedPageOnceWhereFewerRecordsAreThereThanAskedFor() {
        damagePageOf(shared.get(0));
        for (int i = 0; i < 5; i++) {
            refer(i % 2);
        }
        Source source = loom.source("records").orElseThrow();
        QueryReport report = TimedStore.service(QueryMemory.UNLIMITED, () -> false)
                .tail(
                        () -> LoomReader.attach(directory),
                        snapshot -> new TailRequest(
                                source, List.of(Where.parse("shared >= 0")), 100, false, QueryLimits.NONE),
                        new ResultHandler() {});
        assertEquals(1, report.completeness().damagedPages());
    }
}
