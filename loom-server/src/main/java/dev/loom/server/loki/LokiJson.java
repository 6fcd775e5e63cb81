package dev.loom.server.loki;

import dev.loom.server.json.JsonText;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Prints answers as Loki's clients read them. For one thread. */
final class LokiJson {
    private static final int MS_DIGITS = 3;
    private static final long NS_PER_MS = 1_000_000L;
    private static final int FLUSH_BYTES = 32 << 10;

    private final DataOutput out;
    private final TextBuffer text = new TextBuffer(1024);

    LokiJson(DataOutput out) {
        this.out = out;
    }

    /**
     * Prints lines.
     *
     * @param apart whether fields beside the lines are apart from the labels of streams
     */
    void streams(List<LogLine> lines, boolean apart, Report report, long wallNs) {
        begin("streams", apart);
        boolean more = false;
        for (Map.Entry<Map<String, String>, List<LogLine>> stream :
                LogQuery.streams(lines, apart).entrySet()) {
            text.put(more ? "," : "");
            more = true;
            putStream(text, stream.getKey(), stream.getValue(), apart, this::drain);
        }
        end(report, lines.size(), wallNs);
    }

    static void putStream(
            TextBuffer text, Map<String, String> labels, List<LogLine> lines, boolean apart, Runnable drain) {
        text.put("{\"stream\":");
        putLabels(text, labels);
        text.put(",\"values\":[");
        boolean more = false;
        for (LogLine line : lines) {
            text.put(more ? ",[\"" : "[\"");
            more = true;
            text.putLong(line.timeNs());
            text.put("\",");
            JsonText.putString(text, line.line());
            if (apart) {
                text.put(",{");
                if (!line.fields().isEmpty()) {
                    text.put("\"structuredMetadata\":");
                    putLabels(text, line.metadata());
                }
                text.put('}');
            }
            text.put(']');
            drain.run();
        }
        text.put("]}");
    }

    private void drain() {
        if (text.length() > FLUSH_BYTES) {
            out.write(text);
        }
    }

    private void begin(String type, boolean apart) {
        text.put("{\"status\":\"success\",\"data\":{\"resultType\":\"");
        text.put(type);
        text.put(apart ? "\",\"encodingFlags\":[\"categorize-labels\"],\"result\":[" : "\",\"result\":[");
    }

    static void putLabels(TextBuffer text, Map<String, String> labels) {
        text.put('{');
        boolean more = false;
        for (Map.Entry<String, String> label : labels.entrySet()) {
            text.put(more ? "," : "");
            more = true;
            JsonText.putString(text, label.getKey());
            text.put(':');
            JsonText.putString(text, label.getValue());
        }
        text.put('}');
    }

    /** Prints series of several points. */
    void matrix(List<Series> series, Grid grid, Report report, long wallNs) {
        begin("matrix", false);
        boolean more = false;
        for (Series each : series) {
            text.put(more ? "," : "");
            more = true;
            putMetric(each);
            text.put(",\"values\":[");
            boolean another = false;
            for (int i = 0; i < each.points(); i++) {
                if (each.has(i)) {
                    text.put(another ? "," : "");
                    another = true;
                    putPoint(grid.timeNs(i), each.get(i));
                    drain();
                }
            }
            text.put("]}");
        }
        end(report, series.size(), wallNs);
    }

    /** Prints series of one point. */
    void vector(List<Series> series, Grid grid, Report report, long wallNs) {
        begin("vector", false);
        boolean more = false;
        for (Series each : series) {
            text.put(more ? "," : "");
            more = true;
            putMetric(each);
            text.put(",\"value\":");
            putPoint(grid.timeNs(0), each.get(0));
            text.put('}');
            drain();
        }
        end(report, series.size(), wallNs);
    }

    /** Prints a number. */
    void scalar(double value, Grid grid, Report report, long wallNs) {
        text.put("{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[");
        // a point's own brackets are those of the result
        TextBuffer point = new TextBuffer(64);
        putPoint(point, grid.timeNs(0), value);
        text.put(point.array(), 1, point.length() - 2);
        end(report, 1, wallNs);
    }

    private void putMetric(Series series) {
        text.put("{\"metric\":");
        putLabels(text, series.labels());
    }

    private void putPoint(long timeNs, double value) {
        putPoint(text, timeNs, value);
    }

    private static void putPoint(TextBuffer text, long timeNs, double value) {
        text.put('[');
        // as Loki, in whole milliseconds
        BigDecimal seconds = BigDecimal.valueOf(timeNs / NS_PER_MS, MS_DIGITS).stripTrailingZeros();
        text.put(seconds.toPlainString());
        text.put(",\"");
        text.put(Numbers.text(value));
        text.put("\"]");
    }

    private void end(Report report, int entries, long wallNs) {
        double seconds = wallNs / 1e9;
        text.put("],\"stats\":{\"summary\":");
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("bytesProcessedPerSecond", (long) (report.bytesRead() / Math.max(seconds, 1e-9)));
        summary.put("linesProcessedPerSecond", (long) (report.recordsRead() / Math.max(seconds, 1e-9)));
        summary.put("totalBytesProcessed", report.bytesRead());
        summary.put("totalLinesProcessed", report.recordsRead());
        summary.put("execTime", seconds);
        summary.put("totalEntriesReturned", entries);
        put(JsonText.object(summary));
        text.put("}}");
        if (!report.warnings().isEmpty()) {
            text.put(",\"warnings\":");
            putTexts(report.warnings());
        }
        text.put("}\n");
        out.write(text);
        out.flush();
    }

    private void put(TextBuffer other) {
        text.put(other.array(), 0, other.length());
    }

    private void putTexts(List<String> texts) {
        char separator = '[';
        for (String each : texts) {
            text.put(separator);
            separator = ',';
            JsonText.putString(text, each);
        }
        text.put(texts.isEmpty() ? "[]" : "]");
    }
}
