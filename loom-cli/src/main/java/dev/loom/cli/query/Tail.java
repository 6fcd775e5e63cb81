package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.FieldsOption;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.schema.SeenFields;
import dev.loom.cli.time.TimePrinter;
import dev.loom.error.StoreReopenedException;
import dev.loom.query.Order;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.SnapshotLookup;
import dev.loom.query.TimeRange;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Prints the last records of a source and those that arrive, each once, even if the writer restarts: it remembers the address
 * from which on nothing is printed yet. For one thread.
 */
final class Tail {
    private static final long POLL_NS = 10_000_000L;
    private static final long NOT_BEGUN = -1;

    private final Console console;
    private final QueryRun run;
    private final Path directory;
    private final String sourceName;
    private final Function<Source, RecordFilter> filterOf;
    private final OutputFormat format;
    private final FieldsOption fields;
    private final TimePrinter times = new TimePrinter(ZoneOffset.UTC);
    private @Nullable Source source;
    private @Nullable RecordFilter filter;
    private @Nullable RecordOutput output;
    private long nextAddress = NOT_BEGUN;
    private long nextTimeNs = Long.MIN_VALUE;

    Tail(
            Console console,
            QueryRun run,
            Path directory,
            String sourceName,
            Function<Source, RecordFilter> filterOf,
            OutputFormat format,
            FieldsOption fields) {
        this.console = console;
        this.run = run;
        this.directory = directory;
        this.sourceName = sourceName;
        this.filterOf = filterOf;
        this.format = format;
        this.fields = fields;
    }

    /** Returns when everything is printed or, if following, on interruption or when the time is over. */
    void run(long lines, boolean follow) {
        boolean going = true;
        while (going) {
            try (Store reader = console.attach(directory)) {
                going = print(reader, lines) && follow && follow(reader);
            } catch (StoreReopenedException e) {
                // The writer restarted. What follows the last address printed is in the store it opened.
                going = follow && pause();
            }
        }
    }

    long printed() {
        return output == null ? 0 : output.printed();
    }

    private boolean print(Store reader, long lines) {
        try (Snapshot snapshot = reader.snapshot();
                SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
            Source from = begin(snapshot, lookup);
            return nextAddress == NOT_BEGUN ? printLast(snapshot, from, lines) : printNew(snapshot, from);
        }
    }

    private boolean follow(Store reader) {
        boolean going = pause();
        while (going) {
            try (Snapshot snapshot = reader.snapshot();
                    SnapshotLookup lookup = SnapshotLookup.of(snapshot)) {
                going = snapshot.tailAddress() == nextAddress || printNew(snapshot, begin(snapshot, lookup));
            }
            going = going && pause();
        }
        return false;
    }

    private boolean pause() {
        if (run.timeLeft().isZero()) {
            run.endByTime();
            return false;
        }
        LockSupport.parkNanos(POLL_NS);
        return !console.interruption().requested();
    }

    private Source begin(Snapshot snapshot, SnapshotLookup lookup) {
        if (source == null) {
            Source found = SourceLookup.find(snapshot, sourceName);
            output = SeenFields.hinting(field -> SeenFields.of(snapshot, found).hint(field), () -> output(found));
            source = found;
        }
        if (output != null) {
            output.lookup(lookup);
        }
        return source;
    }

    private RecordOutput output(Source from) {
        RecordFilter records = filterOf.apply(from);
        filter = records;
        return new RecordOutput(
                format.records(
                        console,
                        from.name(),
                        fields.of(from.format(), format),
                        times,
                        fields.style(from).matching(records.matches()),
                        false),
                Long.MAX_VALUE);
    }

    /** Seeks back to the first of the last records and prints forward from there, so that it keeps none in memory. */
    private boolean printLast(Snapshot snapshot, Source from, long lines) {
        if (lines == 0) {
            endAt(snapshot);
            return true;
        }
        LastRecords last = new LastRecords(lines);
        if (!scan(RawScan.of(snapshot, from).order(Order.NEWEST_FIRST), last)) {
            return false;
        }
        if (last.count == 0) {
            endAt(snapshot);
            return true;
        }
        nextAddress = last.address;
        nextTimeNs = last.timeNs;
        return printNew(snapshot, from);
    }

    private boolean printNew(Snapshot snapshot, Source from) {
        RawScan scan = RawScan.of(snapshot, from)
                .range(new TimeRange(nextTimeNs, Long.MAX_VALUE))
                .fromAddress(nextAddress)
                .order(Order.OLDEST_FIRST);
        boolean whole = scan(scan, this::printNext);
        if (output != null) {
            output.flush();
        }
        if (whole) {
            endAt(snapshot);
        }
        return whole;
    }

    private boolean printNext(QueryCursor record) {
        if (output != null) {
            output.print(record.timeNs(), record);
        }
        nextAddress = record.address() + 1;
        nextTimeNs = record.timeNs();
        return true;
    }

    private boolean scan(RawScan scan, QueryRun.Visitor visitor) {
        return filter != null && run.scan(scan, filter, visitor);
    }

    private void endAt(Snapshot snapshot) {
        nextAddress = snapshot.tailAddress();
        nextTimeNs = snapshot.lastTimeNs();
    }

    /** Finds the first of the last records. */
    private static final class LastRecords implements QueryRun.Visitor {
        private final long countMax;
        private long count;
        private long address;
        private long timeNs;

        private LastRecords(long countMax) {
            this.countMax = countMax;
        }

        @Override
        public boolean visit(QueryCursor record) {
            count++;
            address = record.address();
            timeNs = record.timeNs();
            return count < countMax;
        }
    }
}
