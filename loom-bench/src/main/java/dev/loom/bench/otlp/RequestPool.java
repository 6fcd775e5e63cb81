package dev.loom.bench.otlp;

import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.json.JsonRequests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Export requests as SDKs of four services send them, off-heap: {@link #RECORDS} records each, of one resource with 8
 * attributes and one scope. Log records take about 300 bytes with 8 attributes, spans, of sixteen names, 500 with 12, points 110
 * with 4, 8 points per metric. Ids of traces and spans, and the numbers in texts, can be changed where they are.
 */
public final class RequestPool {
    /** Records per request. */
    public static final int RECORDS = 512;

    private static final int REQUESTS = 16;
    private static final int POINTS = 8;
    private static final int CAPACITY = 1 << 20;
    private static final int DIGITS = 6;
    private static final int NUMBERS = 1_000_000;
    private static final List<String> SERVICES = List.of("checkout", "cart", "payment", "shipping");
    private static final List<String> NAMES = List.of(
            "POST /cart/{id}",
            "GET /cart/{id}",
            "DELETE /cart/{id}",
            "GET /cart/{id}/items",
            "POST /orders",
            "GET /orders/{id}",
            "SELECT shop.orders",
            "INSERT shop.orders",
            "UPDATE shop.stock",
            "SELECT shop.stock",
            "GET /prices/{id}",
            "reserve stock",
            "charge card",
            "orders publish",
            "orders process",
            "send receipt");
    private static final String RESOURCE = "\"resource\":{\"attributes\":[" + attribute("service.version", "3.14.1")
            + ","
            + attribute("service.instance.id", "7f3c1a52-0be1-4c0e-9a5d-1f4b9a7d2c11") + ","
            + attribute("host.name", "ip-10-42-17-3.internal") + "," + attribute("os.type", "linux") + ","
            + attribute("telemetry.sdk.name", "opentelemetry") + "," + attribute("telemetry.sdk.language", "java")
            + "," + attribute("telemetry.sdk.version", "1.55.0") + ",";
    private static final String SCOPE = "\"scope\":{\"name\":\"io.example.checkout\",\"version\":\"2.0\"}";

    private final UnsafeBuffer[] requests = new UnsafeBuffer[REQUESTS];
    private final int[] lengths = new int[REQUESTS];
    private final int[][] ids = new int[REQUESTS][];
    private final int[][] numbers = new int[REQUESTS][];
    private final List<byte[]> drawn = new ArrayList<>();
    private final Random random = new Random(1);

    /** Creates the requests of a signal. */
    public RequestPool(Signal signal) {
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY));
            drawn.clear();
            lengths[i] = encode(signal, json(signal, SERVICES.get(i % SERVICES.size())), requests[i]);
            find(i);
        }
    }

    /** Finds the ids and numbers that were drawn for a request, which has them in the same order; an id is one word or two. */
    private void find(int index) {
        final IntStream.Builder words = IntStream.builder();
        final IntStream.Builder texts = IntStream.builder();
        final byte[] request = new byte[lengths[index]];
        requests[index].getBytes(0, request);
        int at = 0;
        for (final byte[] bytes : drawn) {
            while (!Arrays.equals(request, at, at + bytes.length, bytes, 0, bytes.length)) {
                at++;
            }
            if (bytes.length == DIGITS) {
                texts.add(at);
            } else {
                for (int word = 0; word < bytes.length; word += Long.BYTES) {
                    words.add(at + word);
                }
            }
            at += bytes.length;
        }
        ids[index] = words.build().toArray();
        numbers[index] = texts.build().toArray();
    }

    /** Draws new ids and numbers for a request, in a copy that begins at an offset. */
    public void refresh(int index, MutableDirectBuffer copy, int offset, SplittableRandom fresh) {
        for (final int id : ids[index]) {
            copy.putLong(offset + id, fresh.nextLong());
        }
        for (final int number : numbers[index]) {
            copy.putNaturalPaddedIntAscii(offset + number, DIGITS, fresh.nextInt(NUMBERS));
        }
    }

    /** The number of requests. */
    public int size() {
        return REQUESTS;
    }

    /** The buffer that holds a request from offset 0. */
    public UnsafeBuffer request(int index) {
        return requests[index];
    }

    /** Length of a request, bytes. */
    public int length(int index) {
        return lengths[index];
    }

    private String json(Signal signal, String service) {
        return switch (signal) {
            case LOGS -> envelope(service, "Logs", "logRecords", list(RECORDS, this::log));
            case TRACES -> envelope(service, "Spans", "spans", list(RECORDS, this::span));
            case METRICS -> envelope(service, "Metrics", "metrics", list(RECORDS / POINTS, this::metric));
        };
    }

    private static String envelope(String service, String kind, String items, String list) {
        return "{\"resource" + kind + "\":[{" + RESOURCE + attribute("service.name", service) + "]},\"scope" + kind
                + "\":[{" + SCOPE + ",\"" + items + "\":[" + list + "]}]}]}";
    }

    private static String list(int count, IntFunction<String> item) {
        return IntStream.range(0, count).mapToObj(item).collect(Collectors.joining(","));
    }

    private String log(int i) {
        return "{\"timeUnixNano\":" + timeNs(i) + ",\"observedTimeUnixNano\":" + timeNs(i) + ",\"severityNumber\":"
                + (random.nextInt(20) == 0 ? 17 : 9) + ",\"severityText\":\"INFO\",\"body\":{\"stringValue\":"
                + "\"order " + digits() + " was accepted\"},\"attributes\":["
                + attribute("thread.name", "worker-" + random.nextInt(8)) + ","
                + attribute("logger", "io.example.Cart") + "," + attribute("http.method", "POST") + ","
                + attribute("http.route", "/cart/{id}") + "," + number("http.status", 200) + ","
                + number("thread.id", random.nextInt(100)) + "," + attribute("user.id", "u" + digits())
                + "," + number("latency_us", random.nextInt(90_000)) + "],\"traceId\":\"" + hex(2)
                + "\",\"spanId\":\"" + hex(1) + "\"}";
    }

    private String span(int i) {
        final long startNs = timeNs(i);
        return "{\"traceId\":\"" + hex(2) + "\",\"spanId\":\"" + hex(1) + "\",\"parentSpanId\":\"" + hex(1)
                + "\",\"name\":\"" + NAMES.get(random.nextInt(NAMES.size()))
                + "\",\"kind\":2,\"startTimeUnixNano\":" + startNs
                + ",\"endTimeUnixNano\":" + (startNs + random.nextInt(90_000_000)) + ",\"attributes\":["
                + attribute("http.request.method", "POST") + "," + attribute("http.route", "/cart/{id}") + ","
                + number("http.response.status_code", 200) + ","
                + attribute("url.path", "/cart/" + digits()) + "," + attribute("url.scheme", "https")
                + "," + attribute("server.address", "shop.example.com") + "," + number("server.port", 443) + ","
                + attribute("client.address", "203.0.113." + random.nextInt(256)) + ","
                + attribute("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox")
                + "," + attribute("network.protocol.version", "1.1") + ","
                + number("thread.id", random.nextInt(100)) + ","
                + attribute("thread.name", "worker-" + random.nextInt(8)) + "],\"status\":{\"code\":1}}";
    }

    private String metric(int i) {
        return "{\"name\":\"http.server.requests." + i + "\",\"unit\":\"{request}\",\"sum\":{\"isMonotonic\":true,"
                + "\"aggregationTemporality\":2,\"dataPoints\":[" + list(POINTS, this::point) + "]}}";
    }

    private String point(int i) {
        return "{\"startTimeUnixNano\":" + timeNs(0) + ",\"timeUnixNano\":" + timeNs(i) + ",\"asInt\":"
                + random.nextInt(1 << 30) + ",\"attributes\":[" + attribute("http.request.method", "POST") + ","
                + attribute("http.route", "/cart") + "," + number("http.status", 200 + i) + ","
                + attribute("zone", "eu-1") + "]}";
    }

    private long timeNs(int i) {
        return 1_790_000_000_000_000_000L + i * 1_000_000L + random.nextInt(1_000_000);
    }

    private static String attribute(String key, String value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"stringValue\":\"" + value + "\"}}";
    }

    private static String number(String key, long value) {
        return "{\"key\":\"" + key + "\",\"value\":{\"intValue\":" + value + "}}";
    }

    private String hex(int words) {
        final byte[] id = new byte[words * Long.BYTES];
        random.nextBytes(id);
        drawn.add(id);
        return HexFormat.of().formatHex(id);
    }

    private String digits() {
        final String digits = String.format(Locale.ROOT, "%06d", random.nextInt(NUMBERS));
        drawn.add(digits.getBytes(StandardCharsets.US_ASCII));
        return digits;
    }

    private static int encode(Signal signal, String json, UnsafeBuffer into) {
        final UnsafeBuffer text = new UnsafeBuffer(json.getBytes(StandardCharsets.UTF_8));
        final ExportOutcome outcome = new ExportOutcome();
        final MessageBuffer request = new MessageBuffer(into, 0, into.capacity());
        final boolean whole = new JsonRequests().transcode(signal, text, 0, text.capacity(), request, outcome);
        if (outcome.status() == ExportOutcome.Status.MALFORMED || !whole) {
            throw new IllegalStateException("request can't be encoded: " + outcome.message());
        }
        return request.length();
    }
}
