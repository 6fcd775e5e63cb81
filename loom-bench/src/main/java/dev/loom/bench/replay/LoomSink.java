package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.Query;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TopRecords;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * An embedded store. Arrival times are its own clock's; what is asked is asked by the records' own times. Each source has an index over
 * these, and one over latencies, which for system calls is kept by call; or no indexes at all.
 */
public final class LoomSink implements Sink {
    private static final String LATENCY = "latency_ns";
    private static final String TIME = "ts_ns";
    private static final double TAIL = 100 - 100.0 / ReplayQuestion.TAIL_PARTS;

    /** A source of the store. */
    private record Stored(int id, IndexFunction latency, RecordClock clock) {}

    private final Loom loom;
    private final boolean indexed;
    private final Map<ReplaySource, Stored> sources = new EnumMap<>(ReplaySource.class);
    private volatile long visibleNs;

    LoomSink(SinkSettings settings, boolean indexed) {
        this.indexed = indexed;
        loom = open(settings.directory(), settings.staging());
        for (final ReplaySource source :
                settings.plan().workload().sources(settings.plan().phase())) {
            sources.put(source, stored(loom, source, indexed));
        }
    }

    /** Opens a new store with the defaults, except for its length. */
    public static Loom open(Path directory, Path staging) {
        return Loom.open(LoomConfig.at(directory.resolve("store"))
                .stagingDirectory(staging)
                .maxBytes(LoomConfig.UNLIMITED)
                .build());
    }

    /** Defines a source with its indexes, and returns its id. */
    public static int define(Loom loom, ReplaySource source) {
        return stored(loom, source, true).id();
    }

    private static Stored stored(Loom loom, ReplaySource source, boolean indexed) {
        final PayloadFormat format = Formats.parse(source.kind().format());
        final int id = loom.defineSource(source.text(), format);
        final RecordClock clock = new RecordClock(format);
        final IndexFunction latency =
                source.kind().hasLatency() ? IndexFunction.field(format, LATENCY) : clock.function();
        if (indexed) {
            loom.defineEventTimeIndex(id, TIME, clock.function());
            if (source.kind() == RecordKind.CALL) {
                loom.defineIndex(id, LATENCY + ":call", latency, Bins.logLinear(), List.of("call"));
            } else if (source.kind().hasLatency()) {
                loom.defineIndex(id, LATENCY, latency, Bins.logLinear());
            }
        }
        return new Stored(id, latency, clock);
    }

    @Override
    public String description() {
        return "embedded, batches pushed with one reading of the clock; "
                + (indexed
                        ? "event times indexed, latencies in bins of " + Bins.logLinear()
                                + ", those of system calls by call"
                        : "no indexes");
    }

    @Override
    public void write(BatchSection section) {
        final int taken = loom.pushBatch(
                section.source().in(sources).id(),
                section.buffer(),
                section.offset(),
                section.lengths(),
                section.records());
        if (taken != section.records()) {
            throw new IllegalStateException("records were refused: records=" + section.records() + ", taken=" + taken);
        }
    }

    @Override
    public void endBatch(long endNs) {
        visibleNs = endNs;
    }

    @Override
    public void finish() {
        loom.releaseWriter();
    }

    @Override
    public long visibleNs() {
        return visibleNs;
    }

    @Override
    public ReplayAnswer ask(ReplayQuestion question) {
        final Stored source = question.source().in(sources);
        try (Snapshot snapshot = loom.snapshot()) {
            return switch (question.form()) {
                case ABOVE_TAIL -> {
                    final long tail = tail(snapshot, source, question);
                    yield records(
                            narrow(IndexedScan.of(snapshot, source.id(), source.latency()), source, question)
                                    .values(ValueRange.above(tail))
                                    .open(),
                            tail);
                }
                case TAIL -> ReplayAnswer.ofValue(tail(snapshot, source, question));
                case MAX ->
                    ReplayAnswer.ofValue(aggregate(snapshot, source, question)
                            .run()
                            .max()
                            .map(Value::longValue)
                            .orElse(0L));
                case COUNT -> ReplayAnswer.ofCount(count(snapshot, source, question));
                case LARGEST -> largest(snapshot, source, question);
                case DUMP -> dump(narrow(RawScan.of(snapshot, source.id()), source, question));
                case PLANTED ->
                    records(
                            narrow(IndexedScan.of(snapshot, source.id(), source.latency()), source, question)
                                    .values(ValueRange.atLeast(ReplayQuestion.plantedLatencyNs()))
                                    .open(),
                            0);
                case MANGLED ->
                    records(
                            narrow(RawScan.of(snapshot, source.id()), source, question)
                                    .where(Where.parse("sport != " + RecordStream.REDIS_PORT + " and dport != "
                                            + RecordStream.REDIS_PORT))
                                    .open(),
                            0);
            };
        }
    }

    private static long tail(Snapshot snapshot, Stored source, ReplayQuestion question) {
        return aggregate(snapshot, source, question)
                .percentiles(TAIL)
                .run()
                .percentile(TAIL)
                .map(Value::longValue)
                .orElse(0L);
    }

    private static IndexedAggregate aggregate(Snapshot snapshot, Stored source, ReplayQuestion question) {
        return narrow(IndexedAggregate.of(snapshot, source.id(), source.latency()), source, question);
    }

    private static <Q extends Query<Q>> Q narrow(Q query, Stored source, ReplayQuestion question) {
        final Q inTime = query.eventRange(source.clock(), new TimeRange(question.fromNs(), question.toNs()));
        return question.call() == SystemCalls.ANY ? inTime : inTime.where(Where.parse("call == " + question.call()));
    }

    private static long count(Snapshot snapshot, Stored source, ReplayQuestion question) {
        try (Groups groups = narrow(GroupedAggregate.of(snapshot, source.id()), source, question)
                .run()) {
            return groups.size() == 0 ? 0 : groups.get(0).records();
        }
    }

    private static ReplayAnswer largest(Snapshot snapshot, Stored source, ReplayQuestion question) {
        final AnswerBuilder found = new AnswerBuilder();
        long latencyNs = 0;
        try (QueryCursor cursor = narrow(TopRecords.of(snapshot, source.id(), source.latency(), 1), source, question)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.buffer().getLong(cursor.offset() + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN));
                latencyNs = cursor.buffer().getLong(cursor.offset() + RecordKind.LATENCY_OFFSET, LITTLE_ENDIAN);
            }
        }
        return found.answer(latencyNs);
    }

    private static ReplayAnswer records(QueryCursor opened, long value) {
        return found(opened).answer(value);
    }

    private static ReplayAnswer dump(RawScan packets) {
        final AnswerBuilder found = new AnswerBuilder();
        long read = 0;
        try (QueryCursor cursor = packets.open()) {
            while (cursor.next()) {
                found.add(cursor.buffer().getLong(cursor.offset() + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN));
                read += RecordKind.packetSum(cursor.buffer(), cursor.offset());
            }
            requireComplete(cursor);
        }
        return found.counted(read);
    }

    private static void requireComplete(QueryCursor cursor) {
        if (!cursor.completeness().complete()) {
            throw new IllegalStateException("answer is incomplete: " + cursor.completeness());
        }
    }

    private static AnswerBuilder found(QueryCursor opened) {
        final AnswerBuilder found = new AnswerBuilder();
        try (QueryCursor cursor = opened) {
            while (cursor.next()) {
                found.add(cursor.buffer().getLong(cursor.offset() + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN));
            }
            requireComplete(cursor);
        }
        return found;
    }

    @Override
    public void settle() {
        loom.force();
        loom.finishRollups((done, total) -> true);
    }

    @Override
    public void close() {
        loom.close();
    }
}
