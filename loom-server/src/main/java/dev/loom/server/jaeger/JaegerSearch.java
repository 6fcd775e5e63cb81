package dev.loom.server.jaeger;

import dev.loom.query.trace.TraceId;
import dev.loom.query.where.Quantity;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.request.SpanChoice;
import dev.loom.server.request.SpanTexts;
import dev.loom.server.text.JsonObject;
import dev.loom.server.time.EpochTime;
import dev.loom.server.trace.SpanTags;
import dev.loom.server.trace.SpanTimes;
import dev.loom.server.trace.TraceIds;
import dev.loom.server.trace.TraceParameters;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A search for traces as Jaeger's parameters describe it.
 *
 * @param ids of the traces; if there are any, nothing else counts
 */
record JaegerSearch(List<TraceId> ids, SpanChoice spans, SpanTimes times, long limit) {
    private static final int LIMIT = 100;
    private static final int LIMIT_MAX = 1_000;
    private static final int IDS_MAX = 20;
    private static final long NS_PER_US = 1_000;
    private static final long TIME_US_MAX = Long.MAX_VALUE / NS_PER_US - 1;
    private static final long NS_PER_MS = 1_000_000;
    private static final long TIME_MS_MAX = Long.MAX_VALUE / NS_PER_MS - 1;
    /** A day, as in Jaeger. */
    private static final long LOOKBACK_MS = 24L * 60 * 60 * 1000;

    static JaegerSearch read(TraceParameters in) {
        List<TraceId> ids =
                in.texts("traceID").stream().map(TraceIds::parse).distinct().toList();
        if (ids.size() > IDS_MAX) {
            throw ApiFailure.badRequest("too many trace ids: count=" + ids.size() + ", max=" + IDS_MAX);
        }
        String service = in.text("service");
        if (service == null && ids.isEmpty()) {
            in.required("service");
        }
        Map<String, String> tags = new LinkedHashMap<>();
        in.texts("tag").forEach(tag -> putTag(tags, tag));
        in.texts("tags").forEach(json -> putTags(tags, json));
        SpanTexts texts = new SpanTexts(
                null,
                in.text("operation"),
                duration(in, "minDuration"),
                duration(in, "maxDuration"),
                false,
                List.of(),
                List.of());
        String kind = in.text("spanKind");
        if (kind != null) {
            tags.put("span.kind", kind);
        }
        Long limit = in.number("limit", 1, LIMIT_MAX);
        SpanTimes times = readTimes(in);
        SpanTags spans = new SpanTags(texts, tags);
        return new JaegerSearch(
                ids, service == null ? spans : new OfService(service, spans), times, limit == null ? LIMIT : limit);
    }

    /** Reads the times, and then refuses what was not read. Both ends are inclusive, in microseconds. */
    static SpanTimes readTimes(TraceParameters in) {
        Long start = in.number("start", 0, TIME_US_MAX);
        Long end = in.number("end", 0, TIME_US_MAX);
        String lookback = in.text("lookback");
        in.text("prettyPrint"); // how the answer looks
        in.text("raw"); // times are never adjusted
        in.end();
        Long fromNs = start == null ? null : (Long) (start * NS_PER_US);
        Long toNs = end == null ? null : (Long) ((end + 1) * NS_PER_US);
        if (fromNs == null && lookback != null && !lookback.equals("custom")) {
            long until = toNs == null ? EpochTime.of(Instant.now()) : toNs;
            fromNs = Math.max(0, until - nanoseconds("lookback", lookback));
        }
        return new SpanTimes(fromNs, toNs);
    }

    /**
     * Reads the end of a range and how far it reaches back, both in milliseconds, and then refuses what was not read. Both ends are
     * inclusive.
     */
    static SpanTimes readLookback(TraceParameters in) {
        Long end = in.number("endTs", 0, TIME_MS_MAX);
        Long lookback = in.number("lookback", 0, TIME_MS_MAX);
        in.end();
        long toMs = end == null ? Instant.now().toEpochMilli() : end;
        long fromMs = Math.max(0, toMs - (lookback == null ? LOOKBACK_MS : lookback));
        return new SpanTimes(fromMs * NS_PER_MS, (toMs + 1) * NS_PER_MS);
    }

    private static long nanoseconds(String name, String text) {
        try {
            return Quantity.duration(text).toNanos();
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest(name + ": " + e.getMessage());
        }
    }

    /** A duration as expressions write it; Jaeger also takes the sign for micro. */
    private static @Nullable String duration(TraceParameters in, String name) {
        String text = in.text(name);
        if (text == null) {
            return null;
        }
        String plain = text.replace('\u00b5', 'u').replace('\u03bc', 'u');
        nanoseconds(name, plain);
        return plain;
    }

    private static void putTag(Map<String, String> tags, String tag) {
        int colon = tag.indexOf(':');
        if (colon <= 0) {
            throw ApiFailure.badRequest("tag is not KEY:VALUE: " + tag);
        }
        tags.put(tag.substring(0, colon), tag.substring(colon + 1));
    }

    private static void putTags(Map<String, String> tags, String json) {
        try {
            JsonObject.parse(json.getBytes(StandardCharsets.UTF_8)).forEach((key, value) -> {
                if (value instanceof String || value instanceof Boolean) {
                    tags.put(key, value.toString());
                } else {
                    throw new IllegalArgumentException("value is no string: " + key);
                }
            });
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest("tags: " + e.getMessage() + ": " + json);
        }
    }
}
