package dev.loom.server.loki;

import dev.loom.format.RecordLookup;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LokiSession.Selected;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.agrona.DirectBuffer;

/** The first lines of a selection in order of time, over all its sources. For one thread. */
final class LogQuery {
    private final LokiSession session;
    private final Comparator<LogLine> order;
    private final Order direction;
    private final int limit;
    /** The last line in the order first. */
    private final PriorityQueue<LogLine> kept;

    LogQuery(LokiSession session, Order direction, int limit) {
        this.session = session;
        this.direction = direction;
        this.limit = limit;
        order = direction == Order.OLDEST_FIRST ? LogLine.OLDEST_FIRST : LogLine.OLDEST_FIRST.reversed();
        kept = new PriorityQueue<>(order.reversed());
    }

    /** The lines in order. Their memory is reserved. */
    List<LogLine> run(Selection selection, TimeRange range) {
        List<Selected> sources = session.select(selection);
        for (int i = 0; i < sources.size(); i++) {
            scan(sources.get(i), i, range);
        }
        List<LogLine> lines = new ArrayList<>(kept);
        lines.sort(order);
        return lines;
    }

    private void scan(Selected source, int place, TimeRange range) {
        LineReader reader = new LineReader(source.of());
        session.run(limits -> new ScanRequest(source.records(range), direction, limit, limits), new ResultHandler() {
            @Override
            public void onLookup(RecordLookup lookup) {
                reader.lookup(lookup);
            }

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                reader.from(address);
                keep(new LogLine(
                        timeNs,
                        place,
                        address,
                        reader.labels(buffer, offset, length),
                        reader.line(buffer, offset, length),
                        reader.members(),
                        reader.fields(buffer, offset, length)));
            }
        });
    }

    private void keep(LogLine line) {
        if (kept.size() == limit && order.compare(line, kept.element()) > 0) {
            return;
        }
        session.memory().reserve(line.size());
        kept.add(line);
        if (kept.size() > limit) {
            session.memory().release(kept.remove().size());
        }
    }

    /**
     * Lines by their streams, each in the order of lines.
     *
     * @param apart whether fields beside the lines are apart from the labels of streams; otherwise they are labels, too
     */
    static Map<Map<String, String>, List<LogLine>> streams(List<LogLine> lines, boolean apart) {
        Map<Map<String, String>, List<LogLine>> streams = new LinkedHashMap<>();
        for (LogLine line : lines) {
            streams.computeIfAbsent(labels(line, apart), labels -> new ArrayList<>())
                    .add(line);
        }
        return streams;
    }

    static Map<String, String> labels(LogLine line, boolean apart) {
        if (apart || line.fields().isEmpty()) {
            return line.labels();
        }
        Map<String, String> labels = new TreeMap<>(line.metadata());
        labels.putAll(line.labels());
        return labels;
    }
}
