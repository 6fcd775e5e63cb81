package dev.loom.server.jaeger;

import dev.loom.otlp.Signal;
import dev.loom.otlp.export.RequestJson;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.trace.TraceParts;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.OtlpLines;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects spans, and prints them as traces, the one that began last first. Memory: the JSON of each span and 300 bytes. For one thread.
 */
final class JaegerTraces implements OtlpLines.Sink {
    /** The most spans of an answer. */
    static final int SPANS_MAX = TraceParts.RECORDS_MAX_DEFAULT;

    private static final long SPAN_BYTES = 300;

    private final QueryMemory memory;
    private final Map<String, Trace> traces = new HashMap<>();
    private int spans;

    JaegerTraces(QueryMemory memory) {
        this.memory = memory;
    }

    /** Keys are texts, which compare: those of one hash, as a sender may choose them, are found as fast as others. */
    private static final class Trace {
        /** Their names, by the JSON of their resources. */
        private final Map<String, String> processes = new LinkedHashMap<>();

        private final Map<String, List<Span>> spans = new LinkedHashMap<>();
        private final Set<String> seen = new HashSet<>();
        private long startNs = Long.MAX_VALUE;
    }

    private record Span(String parent, String json, List<String> warnings) {}

    /** How many traces there are. */
    int count() {
        return traces.size();
    }

    @Override
    public void protobuf(Signal signal, byte[] request) {
        if (signal == Signal.TRACES) {
            ByteArrayOutputStream json = new ByteArrayOutputStream();
            try {
                RequestJson.write(signal, request, json);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            add(JsonObject.parseLong(json.toByteArray()));
        }
    }

    @Override
    public void json(Map<String, Object> request) {
        add(JsonObject.parseLong(JsonText.object(request).toByteArray()));
    }

    private void add(Map<String, @Nullable Object> request) {
        for (Map<String, @Nullable Object> ofResource : JaegerSpans.objects(request, "resourceSpans")) {
            String resource =
                    JsonText.object(JaegerSpans.object(ofResource, "resource")).toString();
            for (Map<String, @Nullable Object> ofScope : JaegerSpans.objects(ofResource, "scopeSpans")) {
                Map<String, @Nullable Object> scope = JaegerSpans.object(ofScope, "scope");
                for (Map<String, @Nullable Object> span : JaegerSpans.objects(ofScope, "spans")) {
                    add(resource, scope, span);
                }
            }
        }
    }

    private void add(String resource, Map<String, @Nullable Object> scope, Map<String, @Nullable Object> span) {
        if (++spans > SPANS_MAX) {
            throw new ApiFailure(
                    413,
                    "too_many_records",
                    "too many spans in the answer: max=" + SPANS_MAX + "; a lower limit has fewer");
        }
        Trace trace = traces.computeIfAbsent(JaegerSpans.text(span, "traceId"), id -> new Trace());
        String process = trace.processes.computeIfAbsent(resource, each -> {
            memory.reserve(SPAN_BYTES + 4L * each.length());
            return "p" + (trace.processes.size() + 1);
        });
        String json = JsonText.object(JaegerSpans.span(span, scope, process)).toString();
        if (!trace.seen.add(json)) {
            return; // it was sent again
        }
        long startNs = JaegerSpans.time(span, "startTimeUnixNano");
        long endNs = JaegerSpans.time(span, "endTimeUnixNano");
        List<Span> same = trace.spans.computeIfAbsent(JaegerSpans.text(span, "spanId"), id -> new ArrayList<>(1));
        List<String> warnings = new ArrayList<>(0);
        if (startNs == 0 || endNs == 0) {
            warnings.add("its record lacks the start or the end");
        } else if (endNs < startNs) {
            warnings.add("it ends " + (startNs - endNs) + " ns before it starts, and is shown as if it took no time");
        }
        if (!same.isEmpty()) {
            warnings.add("another span of the trace has this id");
        }
        memory.reserve(SPAN_BYTES + json.length());
        same.add(new Span(JaegerSpans.text(span, "parentSpanId"), json, warnings));
        trace.startNs = Math.min(trace.startNs, startNs);
    }

    /**
     * Prints the traces.
     *
     * @param missing what the answer lacks
     */
    void print(DataOutput out, String before, List<String> missing) {
        write(out, before);
        String separator = "[";
        List<Map.Entry<String, Trace>> ordered = new ArrayList<>(traces.entrySet());
        ordered.sort(Comparator.comparingLong((Map.Entry<String, Trace> each) -> -each.getValue().startNs)
                .thenComparing(Map.Entry::getKey));
        for (Map.Entry<String, Trace> entry : ordered) {
            write(out, separator + "{\"traceID\":\"" + entry.getKey() + "\",\"spans\":");
            separator = ",";
            print(out, entry.getValue(), missing);
        }
        write(out, ordered.isEmpty() ? "[]" : "]");
    }

    private static void print(DataOutput out, Trace trace, List<String> missing) {
        String separator = "[";
        for (List<Span> same : trace.spans.values()) {
            for (Span span : same) {
                List<String> warnings = new ArrayList<>(span.warnings);
                if (!span.parent.isEmpty() && !trace.spans.containsKey(span.parent)) {
                    warnings.add("parent was not found, it is lost or was never sent: " + span.parent);
                }
                if (separator.equals("[")) {
                    warnings.addAll(missing); // user interfaces show only those of spans
                }
                write(out, separator + span.json.substring(0, span.json.length() - 1) + ',');
                separator = ",";
                write(out, warnings(warnings));
            }
        }
        Map<String, Object> processes = new LinkedHashMap<>();
        trace.processes.forEach((resource, process) -> {
            byte[] json = resource.getBytes(StandardCharsets.UTF_8);
            processes.put(process, JaegerSpans.process(JsonObject.parseLong(json)));
        });
        write(out, "],\"processes\":" + JsonText.object(processes) + ',' + warnings(missing));
    }

    /** The end of an object. */
    private static String warnings(List<String> warnings) {
        Map<String, @Nullable Object> end = new LinkedHashMap<>();
        end.put("warnings", warnings.isEmpty() ? null : warnings);
        return JsonText.object(end).toString().substring(1);
    }

    private static void write(DataOutput out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
    }
}
