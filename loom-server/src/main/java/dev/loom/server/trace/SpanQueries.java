package dev.loom.server.trace;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.trace.SpanReader;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.where.Where;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.MissingText;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.OtlpLines;
import dev.loom.server.json.OtlpResults;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.SeenFields;
import dev.loom.server.request.SpanChoice;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The questions about spans that one request asks of one snapshot, all of them within its time; remembers what the answers lack. For one
 * thread.
 */
public final class SpanQueries {
    private static final Duration TIME_MIN = Duration.ofNanos(1);

    private final StoreQueries.Session session;
    private final Store store;
    private final Snapshot snapshot;
    private final StoreQueries.Limits limits;
    private final long begunNs = System.nanoTime();
    private final Set<String> warnings = new LinkedHashSet<>();
    private Completeness missing = Completeness.WHOLE;
    private long bytesRead;
    private boolean withoutTime;

    private SpanQueries(StoreQueries.Session session, Store store, Snapshot snapshot, StoreQueries.Limits limits) {
        this.session = session;
        this.store = store;
        this.snapshot = snapshot;
        this.limits = limits;
    }

    /** What is asked. */
    public interface Questions {
        void ask(SpanQueries spans) throws IOException;
    }

    /**
     * Asks for a request.
     *
     * @throws ApiFailure if the request is refused, or fails
     */
    public static void ask(StoreQueries queries, HttpCall call, Questions questions) {
        queries.run(
                call::cancelled,
                session -> session.read((store, snapshot) -> {
                    questions.ask(new SpanQueries(session, store, snapshot, queries.limits()));
                    return true;
                }));
    }

    /** The memory that the request may reserve. */
    public QueryMemory memory() {
        return session.memory();
    }

    /** The sources whose formats declare the fields of spans. */
    public List<Source> sources() {
        return snapshot.sources().stream()
                .filter(source -> TraceFields.declareSpans(source.format()))
                .toList();
    }

    /** The fields of a source's records: those declared, and those that its newest records name. */
    public Collection<String> fields(Source source) {
        return SeenFields.of(snapshot, source).names();
    }

    /** Hands over the spans of a trace. */
    public void trace(String id, OtlpLines.Sink into) {
        if (snapshot.sources().stream().anyMatch(source -> TraceFields.maySpan(source.format()))) {
            RequestBuilder builder = builder(RequestTimes.ALL, remark -> {});
            records(builder.trace(id, List.of(), false, false, null), into);
        }
    }

    /** Hands over all spans of the traces of which a span is as described, those whose span arrived last first. */
    public void spans(SpanChoice choice, SpanTimes times, @Nullable Long limit, OtlpLines.Sink into) {
        if (!sources().isEmpty()) {
            records(builder(times.times(), warnings::add).lastTraces(choice, true, 0, limit), into);
        }
    }

    private void records(QueryRequest request, OtlpLines.Sink into) {
        OtlpResults results = new OtlpResults(into);
        run(request, results);
        results.onFlush();
        if (results.leftOut() > 0) {
            warnings.add("records that can't be read, or whose resource is lost: " + results.leftOut());
        }
    }

    /**
     * Hands over summaries of the traces of which a span is as described, those whose span arrived last first.
     *
     * @param matchesMax the most such spans that a summary names
     */
    public void traces(SpanChoice choice, SpanTimes times, int matchesMax, @Nullable Long limit, ResultHandler into) {
        if (!sources().isEmpty()) {
            run(builder(times.times(), warnings::add).lastTraces(choice, false, matchesMax, limit), into);
        }
    }

    /**
     * Hands over the different values of fields among a source's spans, the most frequent ones first; those that are too long to be told
     * apart are left out, with a warning.
     *
     * @param conditions that must all hold
     * @param into takes the values of the fields in their order
     */
    public void values(
            Source source,
            List<String> fields,
            List<Where> conditions,
            SpanTimes times,
            int limit,
            Consumer<List<FieldValue>> into) {
        RecordSelection records = records(source, times, conditions);
        if (records == null) {
            return;
        }
        GroupRequest.Caps caps = new GroupRequest.Caps(limits.groupsMax(), 1, false, true);
        GroupRequest request = new GroupRequest(
                records,
                null,
                new GroupRequest.Keys(fields, null),
                List.of(),
                null,
                GroupOrder.COUNT,
                limit,
                caps,
                limits());
        run(request, new ResultHandler() {
            @Override
            public void onGroups(GroupRequest asked, TimeRange covered, Completeness lacks, Groups groups) {
                if (groups.longKeys() > 0) {
                    warnings.add(MissingText.LONG_VALUES);
                }
                for (Group group : groups) {
                    if (!group.isOther()) {
                        into.accept(group.key());
                    }
                }
            }
        });
    }

    /**
     * Reads a source's records in the order of their arrival.
     *
     * @param into takes the reader, which stands on the next record
     */
    public void read(Source source, SpanTimes times, Consumer<SpanReader> into) {
        RecordSelection records = records(source, times, List.of());
        if (records == null) {
            return;
        }
        run(new ScanRequest(records, Order.OLDEST_FIRST, Long.MAX_VALUE, true, limits()), new ResultHandler() {
            private @Nullable SpanReader reader;

            @Override
            public void onLookup(RecordLookup lookup) {
                reader = new SpanReader(source, lookup, null);
            }

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                SpanReader record = Objects.requireNonNull(reader);
                record.wrap(address, buffer, offset, length);
                into.accept(record);
            }
        });
    }

    /** Records of a source; null, with a warning, if times are asked for that it does not have. */
    private @Nullable RecordSelection records(Source source, SpanTimes times, List<Where> conditions) {
        RequestTimes range = times.times();
        boolean eventTime = range.kind() != null;
        if (eventTime && EventTime.of(source) == null) {
            warnings.add(source.name() + " is left out, it has no event time");
            return null;
        }
        return new RecordSelection(source, range.range(0), eventTime, conditions);
    }

    private RequestBuilder builder(RequestTimes times, Consumer<String> remarks) {
        return new RequestBuilder(store, snapshot, times, EpochTime.of(Instant.now()), limits(), remarks);
    }

    private QueryLimits limits() {
        Duration left = limits.timeMax().minusNanos(System.nanoTime() - begunNs);
        return QueryLimits.NONE.withTimeMax(left.compareTo(TIME_MIN) < 0 ? TIME_MIN : left);
    }

    private void run(QueryRequest request, ResultHandler results) {
        QueryReport report = session.run(snapshot, request, results);
        missing = missing.and(report.completeness());
        bytesRead += report.statistics().bytesRead();
        withoutTime |= report.withoutTime() > 0;
    }

    /** The bytes read so far. */
    public long bytesRead() {
        return bytesRead;
    }

    /** What the answers so far lack, for people; empty if they are complete. */
    public List<String> warnings() {
        List<String> texts = new ArrayList<>(warnings);
        texts.addAll(MissingText.of(missing));
        if (withoutTime) {
            texts.add(MissingText.WITHOUT_TIME);
        }
        return texts;
    }

    /**
     * A failure because nothing was found; if the query ended early, because of that.
     *
     * @param what is not there
     */
    public ApiFailure nothing(String what) {
        if (missing.limit() != Limit.NONE) {
            return new ApiFailure(504, "timeout", "query ended before it found anything: " + what);
        }
        List<String> lacks = warnings();
        return ApiFailure.notFound(what + (lacks.isEmpty() ? "" : "; " + String.join("; ", lacks)));
    }
}
