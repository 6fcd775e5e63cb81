package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.QueryOptions;
import dev.loom.cli.output.RecordPrinter;
import dev.loom.cli.time.ClockPair;
import dev.loom.cli.time.EventTime;
import dev.loom.query.Order;
import dev.loom.query.RawScan;
import dev.loom.query.SnapshotLookup;
import dev.loom.query.TimeRange;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventScanTest {
    @TempDir
    Path directory;

    /** The event time and the place in the input of each record printed. */
    private final List<List<Long>> printed = new ArrayList<>();

    private final List<List<Long>> input = new ArrayList<>();

    @Test
    void shouldOrderAnyInputInAnyRoom() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        StringBuilder csv = new StringBuilder("t,i,filling\n");
        for (long i = 0; i < 600; i++) {
            long time = 200_000_000_000_000_000L + random.nextInt(200);
            input.add(List.of(time, i));
            csv.append(time)
                    .append(',')
                    .append(i)
                    .append(',')
                    .append("x".repeat(random.nextInt(100)))
                    .append('\n');
        }
        Cli.on(directory)
                .importText("s", "csv", csv.toString(), "--event-time", "t")
                .ok();
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            for (int round = 0; round < 40; round++) {
                Order order = random.nextBoolean() ? Order.OLDEST_FIRST : Order.NEWEST_FIRST;
                long roomBytes = 1L << (9 + random.nextInt(11));
                long limit = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(700);
                long fromNs = 200_000_000_000_000_000L + random.nextInt(200);
                TimeRange range =
                        random.nextBoolean() ? TimeRange.ALL : new TimeRange(fromNs, fromNs + random.nextInt(90));
                printed.clear();
                int scans = run(snapshot, order, roomBytes, limit, range);
                assertEquals(expected(order, limit, range), printed, "seed=" + seed + ", round=" + round);
                assertTrue(roomBytes < 1 << 18 || scans <= 1, "scans=" + scans + ", room=" + roomBytes);
            }
        }
    }

    /** An index over event times tells which parts of the log are printed, or come later. */
    @Test
    void shouldReadEachPageAboutOnceWhenRecordsComeAboutInOrder() {
        Random random = new Random(11);
        StringBuilder csv = new StringBuilder("t,i,filling\n");
        for (long i = 0; i < 20_000; i++) {
            long time = 200_000_000_000_000_000L + i * 1_000 + random.nextInt(100_000);
            input.add(List.of(time, i));
            csv.append(time)
                    .append(',')
                    .append(i)
                    .append(",")
                    .append("x".repeat(80))
                    .append('\n');
        }
        Cli.on(directory)
                .importText("s", "csv", csv.toString(), "--event-time", "t")
                .ok();
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            for (Order order : Order.values()) {
                printed.clear();
                QueryRun whole = query(snapshot, order, 200_000, Long.MAX_VALUE, TimeRange.ALL);
                assertEquals(expected(order, Long.MAX_VALUE, TimeRange.ALL), printed);
                long pages = whole.work().pagesConsidered() / whole.scans();
                assertTrue(whole.scans() > 10 && pages > 30, "scans=" + whole.scans() + ", pages=" + pages);
                assertTrue(
                        whole.work().pagesRead() < 4 * pages,
                        "read=" + whole.work().pagesRead() + ", of=" + pages);
                printed.clear();
                QueryRun one = query(snapshot, order, 1 << 20, 1, TimeRange.ALL);
                assertEquals(expected(order, 1, TimeRange.ALL), printed);
                assertTrue(one.work().pagesRead() <= 4, "read=" + one.work().pagesRead() + ", of=" + pages);
            }
        }
    }

    private List<List<Long>> expected(Order order, long limit, TimeRange range) {
        Comparator<List<Long>> ascending =
                Comparator.<List<Long>, Long>comparing(row -> row.get(0)).thenComparing(row -> row.get(1));
        return input.stream()
                .filter(row -> row.get(0) >= range.fromNs() && row.get(0) < range.toNs())
                .sorted(order == Order.OLDEST_FIRST ? ascending : ascending.reversed())
                .limit(limit)
                .toList();
    }

    private int run(Snapshot snapshot, Order order, long roomBytes, long limit, TimeRange range) {
        return query(snapshot, order, roomBytes, limit, range).scans();
    }

    private QueryRun query(Snapshot snapshot, Order order, long roomBytes, long limit, TimeRange range) {
        Console console = new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        Source source = snapshot.source("s").orElseThrow();
        QueryRun run = new QueryRun(console, new QueryOptions());
        EventTime eventTime = Objects.requireNonNull(EventTime.of(source));
        RecordOutput output = new RecordOutput(printer(source), limit);
        try (SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
            new EventScan(run, eventTime.reader(source.format()), lookup, output, roomBytes)
                    .run(() -> RawScan.of(snapshot, source), RecordFilter.of(List.of(), source.format()), range, order);
        }
        return run;
    }

    private RecordPrinter printer(Source source) {
        EventTime.Reader place = new EventTime("i", new ClockPair(0, 0, 0, 0)).reader(source.format());
        return new RecordPrinter() {
            @Override
            public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                printed.add(List.of(timeNs, place.epochNs(null, buffer, offset, length)));
            }

            @Override
            public void flush() {}
        };
    }
}
