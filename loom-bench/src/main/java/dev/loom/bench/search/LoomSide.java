package dev.loom.bench.search;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.bench.push.CpuTime;
import dev.loom.format.Formats;
import dev.loom.query.Histogram;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.BinGroup;
import dev.loom.query.service.CountRequest;
import dev.loom.query.service.HistogramRequest;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A store in this process: written with the text index and LZ4, closed, and then read as another process would. */
final class LoomSide implements SearchSide {
    private static final String SOURCE = "log";
    private static final String FIELD = "line";
    private static final int STEPS = 60;
    private static final int READ_LENGTH = 1 << 20;
    private static final long WAIT_NS = 20_000_000;
    private static final long SETTLED_NS = 10_000_000_000L;

    private final Path store;
    private final Path staging;
    private final boolean rows;
    private final long segmentBytes;
    private @Nullable LoomReader reader;
    private @Nullable Snapshot snapshot;

    /** @param rows whether the index has rows, counts and prefixes, besides the filter */
    LoomSide(Path store, Path staging, boolean rows, long segmentBytes) {
        this.store = store;
        this.staging = staging;
        this.rows = rows;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public String name() {
        return rows ? "Loom, full" : "Loom, filter";
    }

    @Override
    public String description() {
        return "embedded, text index " + (rows ? "with rows, counts and prefixes" : "of filters alone")
                + ", shares of text index and compression 1, compressed at once, segments of " + segmentBytes
                + " bytes";
    }

    @Override
    public boolean takesIn() {
        return true;
    }

    @Override
    public Ingest ingest(Path log) throws IOException {
        final long startNs = System.nanoTime();
        final long cpuNs = CpuTime.processNs();
        final long accepted;
        try (Loom loom = Loom.open(LoomConfig.at(store)
                .stagingDirectory(staging)
                .segmentBytes(segmentBytes)
                .maxBytes(LoomConfig.UNLIMITED)
                .minFreeBytes(0)
                .textIndexShare(1)
                .textIndexRows(rows)
                .compressAfter(Duration.ZERO)
                .compressionShare(1)
                .build())) {
            push(log, loom, loom.defineSource(SOURCE, Formats.text()));
            accepted = CpuTime.processNs() - cpuNs;
            if (!loom.finishTextIndex((done, total) -> true)) {
                throw new IllegalStateException("text index was not completed: store=" + store);
            }
            awaitCompression(loom);
        }
        return new Ingest(System.nanoTime() - startNs, CpuTime.processNs() - cpuNs, accepted);
    }

    private static void push(Path log, Loom loom, int source) throws IOException {
        final byte[] bytes = new byte[READ_LENGTH];
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        int kept = 0;
        try (InputStream in = Files.newInputStream(log)) {
            int read;
            while ((read = in.read(bytes, kept, READ_LENGTH - kept)) > 0) {
                int begin = 0;
                for (int i = kept; i < kept + read; i++) {
                    if (bytes[i] == '\n') {
                        final long address = loom.push(source, buffer, begin, i - begin);
                        if (address < 0) {
                            throw new IllegalStateException("push was refused: status=" + address);
                        }
                        begin = i + 1;
                    }
                }
                kept = kept + read - begin;
                System.arraycopy(bytes, begin, bytes, 0, kept);
            }
        }
    }

    /** Until all segments are compressed but the last, which may still grow. */
    private void awaitCompression(Loom loom) throws IOException {
        long saved = -1;
        long sinceNs = System.nanoTime();
        while (plainSegments() > 1) {
            final long now = loom.info().records().savedBytes();
            if (now != saved) {
                saved = now;
                sinceNs = System.nanoTime();
            } else if (System.nanoTime() - sinceNs > SETTLED_NS) {
                throw new IllegalStateException("segments are not compressed: plain=" + plainSegments());
            }
            LockSupport.parkNanos(WAIT_NS);
        }
    }

    private long plainSegments() throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("record"))) {
            return files.filter(file ->
                            file.toString().endsWith(".seg") && file.toFile().length() == segmentBytes)
                    .count();
        }
    }

    @Override
    public Path files() {
        return store;
    }

    @Override
    public void open() {
        reader = LoomReader.attach(store);
        snapshot = reader.snapshot();
    }

    @Override
    public void release() {
        if (snapshot != null) {
            snapshot.close();
            snapshot = null;
        }
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }

    @Override
    public long cpuNs() {
        return CpuTime.processNs();
    }

    @Override
    public Answer ask(SearchQuestion question) {
        final Snapshot open = opened();
        final Results results = new Results();
        final long startNs = System.nanoTime();
        service().run(open, request(open.source(SOURCE).orElseThrow(), question), results);
        final long elapsedNs = System.nanoTime() - startNs;
        return new Answer(
                elapsedNs,
                question.kind() == SearchQuestion.Kind.COUNT ? results.count : results.ids.size(),
                results.ids);
    }

    @Override
    public List<CountRound> estimate(SearchQuestion question, boolean all) {
        final Snapshot open = opened();
        final Rounds rounds = new Rounds(all);
        final CountRequest request = new CountRequest(
                records(open.source(SOURCE).orElseThrow(), question),
                new HistogramRequest.Steps(null, STEPS),
                0,
                QueryLimits.NONE);
        service().run(open, request, rounds);
        return rounds.all;
    }

    private Snapshot opened() {
        if (snapshot == null) {
            throw new IllegalStateException("side is not open: store=" + store);
        }
        return snapshot;
    }

    private static QueryService service() {
        return new QueryService(
                source -> {
                    throw new RequestException("lines carry no times of their own: source=" + source.name());
                },
                QueryMemory.UNLIMITED,
                () -> false);
    }

    private static RecordSelection records(Source source, SearchQuestion question) {
        final String suffix = question.kind() == SearchQuestion.Kind.PREFIX ? "*" : "";
        final String text = String.join(
                " AND ", question.words().stream().map(word -> word + suffix).toList());
        return new RecordSelection(
                source, TimeRange.ALL, false, List.of(new Where.Matches(FIELD, TextQuery.parse(text))));
    }

    private static QueryRequest request(Source source, SearchQuestion question) {
        final RecordSelection records = records(source, question);
        return question.kind() == SearchQuestion.Kind.COUNT
                ? new HistogramRequest(
                        records,
                        null,
                        false,
                        Integer.MAX_VALUE,
                        new HistogramRequest.Steps(null, STEPS),
                        QueryLimits.NONE)
                : new ScanRequest(records, Order.NEWEST_FIRST, SearchQuestion.LIMIT, QueryLimits.NONE);
    }

    /** Keeps what was found. */
    private static final class Results implements ResultHandler {
        final List<String> ids = new ArrayList<>();
        long count;

        @Override
        public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            final byte[] id = new byte[LogReplica.ID_LENGTH];
            buffer.getBytes(offset + LogReplica.ID_OFFSET, id);
            ids.add(new String(id, StandardCharsets.US_ASCII));
        }

        @Override
        public void onHistogram(HistogramRequest request, Histogram.Counts counts, List<BinGroup> groups) {
            count = counts.count();
        }
    }

    /** Keeps the rounds of a count. */
    private static final class Rounds implements ResultHandler {
        final List<CountRound> all = new ArrayList<>();
        private final long startNs = System.nanoTime();
        private final long startCpuNs = CpuTime.threadNs();
        private final boolean goOn;

        Rounds(boolean goOn) {
            this.goOn = goOn;
        }

        private void add(ProgressiveCount.Counts counts) {
            all.add(new CountRound(System.nanoTime() - startNs, CpuTime.threadNs() - startCpuNs, counts));
        }

        @Override
        public boolean onEstimate(CountRequest request, ProgressiveCount.Counts counts) {
            add(counts);
            return goOn || counts.round() == 0;
        }

        @Override
        public void onCount(CountRequest request, ProgressiveCount.Counts counts) {
            add(counts);
        }
    }

    @Override
    public void close() {
        release();
    }
}
