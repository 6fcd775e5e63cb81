package example;

import dev.loom.api.Index;
import dev.loom.api.RecordField;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.TopRecords;
import dev.loom.query.model.Completeness;
import java.time.Instant;

/** Questions about the requests, of the store that is being written. Usable from any thread. */
final class RequestQueries {
    private final Store store;
    private final Source source;

    RequestQueries(Store store, Source source) {
        this.store = store;
        this.source = source;
    }

    /** One line a request: when it was recorded, its latency, its path. */
    String slowest(int count) {
        StringBuilder lines = new StringBuilder();
        try (Snapshot snapshot = store.snapshot();
                TopRecords.Cursor request = TopRecords.of(snapshot, latency(snapshot), count).open()) {
            RecordField path = request.field(source.format(), "path");
            while (request.next()) {
                lines.append(Instant.ofEpochSecond(0, request.timeNs()))
                        .append(' ')
                        .append(request.value())
                        .append(' ')
                        .append(path.getText())
                        .append('\n');
            }
            return lines.append(lacks(request.completeness())).toString();
        }
    }

    /** Count, mean, a percentile, and the greatest latency. */
    String latency(int percentile) {
        try (Snapshot snapshot = store.snapshot()) {
            IndexedAggregate.Result latency = IndexedAggregate.of(snapshot, latency(snapshot))
                    .percentiles(percentile)
                    .run();
            if (latency.count() == 0) {
                return "no requests\n";
            }
            return "requests " + latency.count() + "\nmean " + Math.round(latency.mean()) + "\np" + percentile + ' '
                    + latency.percentile(percentile).orElseThrow() + "\nmax "
                    + latency.max().orElseThrow() + '\n' + lacks(latency.completeness());
        }
    }

    private Index latency(Snapshot snapshot) {
        return snapshot.index(source.id(), "latency_ns").orElseThrow();
    }

    private static String lacks(Completeness completeness) {
        return completeness.lost() == 0 ? "" : "not recorded " + completeness.lost() + '\n';
    }
}
