package dev.loom.server;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.server.api.QueryApi;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.StoreQueries;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a few heatmaps, as the page will, and drops them, so that a person's first one doesn't wait for the compiler. Happens once there
 * is something to see, on a thread of its own, and is over within a second. Usable from any thread.
 */
final class WarmUp {
    /** What the pictures may hold; never of what queries may, or one would be refused for them. */
    static final long MEMORY_BYTES_MAX = 8 << 20;

    /** As many as a page has asked for until its requests take as long as later ones. */
    private static final int PICTURES = 4;

    private static final long RECORDS_MAX = 4_000_000;
    private static final long STEPS = 200;
    private static final String TIMEOUT = "250ms";

    private final StoreQueries queries;
    private final QueryApi api;
    private final ThreadFactory threads;
    private @Nullable Thread thread;
    private volatile boolean warm;
    private volatile boolean closed;

    WarmUp(StoreQueries queries, QueryApi api, ThreadFactory threads) {
        this.queries = queries;
        this.api = api;
        this.threads = threads;
    }

    /** Begins, unless it works or has been of use; returns at once. */
    synchronized void begin() {
        if (warm || closed || (thread != null && thread.isAlive())) {
            return;
        }
        try {
            Thread started = threads.newThread(this::run);
            started.setName("loom-warm-up");
            started.setDaemon(true);
            started.start();
            thread = started;
        } catch (OutOfMemoryError e) {
            // there is no room for a thread: the next page may find some
        }
    }

    private void run() {
        try {
            Map<String, @Nullable Object> picture =
                    queries.run(() -> closed, session -> session.read((store, snapshot) -> newestRecords(snapshot)));
            for (int i = 0; i < PICTURES && !picture.isEmpty() && !closed; i++) {
                api.answer("hist", picture, () -> closed, OutputStream::nullOutputStream);
                warm = true;
            }
        } catch (ApiFailure | UncheckedIOException e) {
            // whoever asks for a picture then gets the reason
        }
    }

    /** The heatmap of the newest records of the source that has most and an index; empty if there is none. */
    private static Map<String, @Nullable Object> newestRecords(Snapshot snapshot) {
        Map<String, @Nullable Object> picture = Map.of();
        long most = 0;
        for (Source source : snapshot.sources()) {
            Source.Statistics statistics = snapshot.statistics(source.id());
            String field = field(snapshot.indexes(source.id()));
            if (field != null && statistics.records() > most) {
                most = statistics.records();
                picture = newestRecords(source, field, statistics);
            }
        }
        return picture;
    }

    private static Map<String, @Nullable Object> newestRecords(
            Source source, String field, Source.Statistics statistics) {
        long endNs = Math.min(statistics.lastTimeNs(), Long.MAX_VALUE - 1) + 1;
        double part = Math.min(1, (double) RECORDS_MAX / statistics.records());
        long lengthNs = Math.max(STEPS, (long) (part * (endNs - statistics.firstTimeNs())));
        Map<String, @Nullable Object> picture = new HashMap<>();
        picture.put("source", source.name());
        picture.put("field", field);
        picture.put("by", List.of("value", "time"));
        picture.put("time", "arrival");
        picture.put("from", Long.toString(endNs - lengthNs));
        picture.put("to", Long.toString(endNs));
        picture.put("step", lengthNs / STEPS + "ns");
        picture.put("timeout", TIMEOUT);
        return picture;
    }

    private static @Nullable String field(List<Index> indexes) {
        return indexes.stream()
                .filter(index -> index.kind() == Index.Kind.VALUE && !index.closed())
                .map(index -> index.function().name())
                .findFirst()
                .orElse(null);
    }

    /** Ends it. Waits until it has left the store, for a limited time in case the disk hangs. */
    void close(Duration grace) {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
        }
        try {
            if (running != null) {
                running.join(Math.max(1, grace.toMillis()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
