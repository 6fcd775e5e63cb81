package dev.loom.server.prometheus;

import dev.loom.server.json.JsonText;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.NativeHistogram;
import dev.loom.server.prometheus.promql.PromNumber;
import dev.loom.server.prometheus.promql.Remarks;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Writes an answer as Prometheus' JSON, in pieces. For one thread. */
final class AnswerWriter {
    private static final int PIECE = 32 << 10;
    private static final int MS_PER_S = 1_000;

    private final OutputStream out;
    private final TextBuffer text = new TextBuffer(PIECE + 1_024);

    /** Begins a successful answer. */
    AnswerWriter(OutputStream out) {
        this.out = out;
        text.put("{\"status\":\"success\",\"data\":");
    }

    AnswerWriter put(String json) {
        text.put(json);
        return this;
    }

    AnswerWriter string(String value) {
        JsonText.putString(text, value);
        return this;
    }

    /** Labels as an object. */
    AnswerWriter labels(Labels labels) {
        text.put('{');
        boolean[] any = {false};
        labels.forEach((name, value) -> {
            text.put(any[0] ? "," : "");
            any[0] = true;
            JsonText.putString(text, name);
            text.put(':');
            JsonText.putString(text, value);
        });
        text.put('}');
        return this;
    }

    /** A list of texts. */
    AnswerWriter strings(Collection<String> values) throws IOException {
        text.put('[');
        boolean any = false;
        for (String value : values) {
            text.put(any ? "," : "");
            any = true;
            string(value);
            flushIfLong();
        }
        text.put(']');
        return this;
    }

    /** A time and a value: a number as a text, or a histogram. */
    void point(long timeMs, double value, @Nullable NativeHistogram histogram) throws IOException {
        text.put('[');
        time(timeMs);
        text.put(',');
        if (histogram == null) {
            number(value);
        } else {
            histogram(histogram);
        }
        text.put(']');
        flushIfLong();
    }

    /** A time and a text. */
    AnswerWriter text(long timeMs, String value) {
        text.put('[');
        time(timeMs);
        text.put(',');
        string(value);
        text.put(']');
        return this;
    }

    private void time(long timeMs) {
        text.put(timeMs < 0 ? "-" : "");
        text.putLong(Math.abs(timeMs / MS_PER_S));
        long fraction = Math.abs(timeMs % MS_PER_S);
        if (fraction != 0) {
            text.put('.');
            String digits = String.valueOf(MS_PER_S + fraction).substring(1);
            text.put(digits.replaceAll("0+$", ""));
        }
    }

    private void number(double value) {
        text.put('"');
        text.put(PromNumber.value(value));
        text.put('"');
    }

    private void histogram(NativeHistogram histogram) {
        text.put("{\"count\":");
        number(histogram.count());
        text.put(",\"sum\":");
        number(histogram.sum());
        char separator = '[';
        for (NativeHistogram.Bucket bucket : histogram.buckets()) {
            text.put(separator == '[' ? ",\"buckets\":[" : ",");
            separator = ',';
            text.put('[');
            text.putLong(bucket.ends().number());
            text.put(',');
            number(bucket.low());
            text.put(',');
            number(bucket.high());
            text.put(',');
            number(bucket.count());
            text.put(']');
        }
        text.put(separator == '[' ? "}" : "]}");
    }

    /** Ends the answer with what is to be said of it. */
    void end(Remarks remarks) throws IOException {
        remarks("warnings", remarks.warnings());
        remarks("infos", remarks.infos());
        text.put('}');
        flush();
    }

    private void remarks(String name, Collection<String> remarks) throws IOException {
        if (!remarks.isEmpty()) {
            text.put(",\"" + name + "\":");
            strings(remarks);
        }
    }

    /** Sends what is written once it is much. */
    void flushIfLong() throws IOException {
        if (text.length() >= PIECE) {
            flush();
        }
    }

    private void flush() throws IOException {
        out.write(text.array(), 0, text.length());
        text.clear();
    }
}
