package dev.loom.otlp.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.OfficialRequests;
import dev.loom.otlp.ingest.RandomMessages;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The JSON form of requests; names of tests begin with the number of the point of the specification that they are about. */
class JsonRequestsTest {
    private static final List<Signal> SIGNALS = List.of(Signal.values());
    private static final int LENGTH_MAX = 5 << 20;

    /** Memory as tight as can be, which moves and is a little larger each time that more is wanted. */
    private static final class TightBuffer extends MessageBuffer {
        private static final int MOVES = 1000;
        private static final int SPARE = 32;

        private final int max;
        private int moves;

        TightBuffer(int max) {
            super(new UnsafeBuffer(new byte[2 * (max + SPARE)]), 0, 0);
            this.max = max;
        }

        @Override
        public boolean ensure(int count) {
            int capacity = length() + count;
            if (!super.ensure(count) && capacity <= max) {
                int other = offset() == 0 ? max + SPARE : 0;
                place(moves < MOVES ? other : offset(), Math.min(max, capacity + moves % SPARE));
                moves++;
            }
            return super.ensure(count);
        }

        byte[] message() {
            byte[] message = new byte[length()];
            buffer().getBytes(offset(), message);
            return message;
        }
    }

    @Test
    void shouldGiveTheMessageThatWasWritten() throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("JsonRequestsTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        RandomMessages messages = new RandomMessages(random, true);
        int rounds = Integer.getInteger("loom.otlp.rounds", 300);
        for (int i = 0; i < rounds; i++) {
            Signal signal = SIGNALS.get(random.nextInt(SIGNALS.size()));
            Message message = messages.message(OfficialRequests.type(signal));
            String json = JsonForm.of(message, random);
            assertEquals(message, transcode(signal, json), () -> "seed=" + seed + ", json=" + json);
        }
    }

    @Test
    void point32TakesIdsInHexadecimalDigitsOfAnyCase() throws Exception {
        LogRecord log = log("\"traceId\":\"5B8EFFF798038103d269b633813fc60c\",\"spanId\":\"eee19b7ec3c1b174\"");
        assertEquals("5b8efff798038103d269b633813fc60c", hex(log.getTraceId().toByteArray()));
        assertEquals("eee19b7ec3c1b174", hex(log.getSpanId().toByteArray()));
        assertEquals(0, log("\"traceId\":\"\"").getTraceId().size());
    }

    @Test
    void point32LeavesIdsOfOtherLengthsToTheirSpans() throws Exception {
        LogRecord log = log("\"traceId\":\"5B8EFFF798038103\",\"spanId\":\"1234\"");
        assertEquals("5b8efff798038103", hex(log.getTraceId().toByteArray()));
        assertEquals("1234", hex(log.getSpanId().toByteArray()));
    }

    @Test
    void point32RefusesIdsOfOtherDigits() {
        String place = "/resourceLogs/0/scopeLogs/0/logRecords/0/";
        refused(
                "\"traceId\":\"5B8EFFF79803810\"",
                place + "traceId has an odd number of hexadecimal digits: characters=15");
        refused("\"spanId\":\"7uGbfsPBsXQ=\"", place + "spanId has characters other than hexadecimal digits");
        refused("\"spanId\":\"eee19b7ec3c1b17x\"", place + "spanId has characters other than hexadecimal digits");
        refused("\"spanId\":17", place + "spanId is not a string");
    }

    @Test
    void point33TakesIntegersAsNumbersAndStrings() throws Exception {
        assertEquals(17, log("\"timeUnixNano\":17").getTimeUnixNano());
        assertEquals(17, log("\"timeUnixNano\":\"17\"").getTimeUnixNano());
        assertEquals(-1, log("\"timeUnixNano\":\"18446744073709551615\"").getTimeUnixNano());
        assertEquals(-1, log("\"timeUnixNano\":18446744073709551615").getTimeUnixNano());
        assertEquals(1000, log("\"timeUnixNano\":1e3").getTimeUnixNano());
        assertEquals(1000, log("\"timeUnixNano\":1000.0").getTimeUnixNano());
        assertEquals(0, log("\"timeUnixNano\":0e99").getTimeUnixNano());
        assertEquals(
                1_760_000_000_123_456_789L,
                log("\"timeUnixNano\":1.760000000123456789e18").getTimeUnixNano());
        assertEquals(
                Long.parseUnsignedLong("10000000000000000000"),
                log("\"timeUnixNano\":1e19").getTimeUnixNano());
        assertEquals(
                9_007_199_254_740_993L,
                body("{\"intValue\":9007199254740993.0}").getIntValue());
        assertEquals(
                Long.MIN_VALUE, body("{\"intValue\":-9.223372036854775808e18}").getIntValue());
        assertEquals(
                Long.MIN_VALUE, body("{\"intValue\":\"-9223372036854775808\"}").getIntValue());
        assertEquals(7, log("\"droppedAttributesCount\":\"7\"").getDroppedAttributesCount());
    }

    @Test
    void point33RefusesWhatIsNoIntegerOrOutOfRange() {
        for (String bad : List.of(
                "-1",
                "1.5",
                "\"\"",
                "\"-\"",
                "\"1.0\"",
                "\" 1\"",
                "\"+1\"",
                "\"0x1\"",
                "18446744073709551616",
                "1e30",
                "1e20",
                "1e999999999",
                "100e2147483647",
                "1e-999999999",
                "1.00000000000000000001",
                "true",
                "{}",
                "[]",
                "\"٣\"",
                "\"123456789012345678901234567890\"")) {
            refused("\"timeUnixNano\":" + bad, "/resourceLogs/0/scopeLogs/0/logRecords/0/timeUnixNano is");
        }
        refused("\"droppedAttributesCount\":4294967296", "droppedAttributesCount is out of range");
        refused("\"body\":{\"intValue\":9223372036854775808}", "body/intValue is out of range");
    }

    @Test
    void point34TakesEnumsAsIntegersAlone() throws Exception {
        assertEquals(9, log("\"severityNumber\":9").getSeverityNumberValue());
        assertEquals(99, log("\"severityNumber\":99").getSeverityNumberValue());
        refused("\"severityNumber\":\"SEVERITY_NUMBER_INFO\"", "severityNumber is not an integer");
        refused("\"severityNumber\":\"9\"", "severityNumber is not an integer");
    }

    @Test
    void point35IgnoresUnknownFields() throws Exception {
        assertEquals(
                "x",
                log("\"foo\":{\"bar\":[1,{}]},\"severityText\":\"x\",\"baz\":null")
                        .getSeverityText());
    }

    @Test
    void point36IgnoresNamesInSnakeCase() throws Exception {
        assertEquals(
                LogRecord.getDefaultInstance(), log("\"severity_text\":\"x\",\"time_unix_nano\":[],\"trace_id\":1"));
        assertEquals(ExportLogsServiceRequest.getDefaultInstance(), transcode(Signal.LOGS, "{\"resource_logs\":[{}]}"));
        assertEquals(
                "request has nothing that is known: ignored=resource_logs; names are as in resourceLogs, resourceSpans"
                        + " and resourceMetrics",
                warning("{\"resource_logs\":[{}],\"x\":1}"));
        assertEquals("", warning("{\"resource_logs\":[{}],\"resourceLogs\":[]}"));
        assertEquals("", warning("{\"resource_logs\":[{}],\"resourceLogs\":[{}]}"));
        assertEquals("", warning("{}"));
    }

    private static String warning(String json) {
        UnsafeBuffer bytes = new UnsafeBuffer(json.getBytes(StandardCharsets.UTF_8));
        ExportOutcome outcome = new ExportOutcome();
        assertTrue(
                new JsonRequests().transcode(Signal.LOGS, bytes, 0, bytes.capacity(), new TightBuffer(1000), outcome));
        return outcome.message();
    }

    @Test
    void point37TakesBytesInBase64() throws Exception {
        for (String text : List.of("+/8=", "+/8", "-_8=", "-_8")) {
            assertEquals(
                    "fbff",
                    hex(body("{\"bytesValue\":\"" + text + "\"}")
                            .getBytesValue()
                            .toByteArray()));
        }
        refused("\"body\":{\"bytesValue\":\"a\"}", "bytesValue is not base64");
        refused("\"body\":{\"bytesValue\":\"*===\"}", "bytesValue is not base64");
    }

    @Test
    void point37TakesNumbersThatJsonDoesNotHave() throws Exception {
        assertTrue(Double.isNaN(body("{\"doubleValue\":\"NaN\"}").getDoubleValue()));
        assertEquals(
                Double.POSITIVE_INFINITY, body("{\"doubleValue\":\"Infinity\"}").getDoubleValue());
        assertEquals(
                Double.NEGATIVE_INFINITY,
                body("{\"doubleValue\":\"-Infinity\"}").getDoubleValue());
        assertEquals(-0.0, body("{\"doubleValue\":-0.0}").getDoubleValue());
        assertEquals(2.5e-3, body("{\"doubleValue\":\"2.5e-3\"}").getDoubleValue());
        for (String bad : List.of("\"inf\"", "\"1d\"", "\"0x1p3\"", "\" 1\"", "\"\"", "1e999", "\"1e999\"", "true")) {
            refused("\"body\":{\"doubleValue\":" + bad + "}", "body/doubleValue is");
        }
    }

    @Test
    void point37TakesValuesThatAreEmptyOrDefaults() throws Exception {
        assertEquals(AnyValue.getDefaultInstance(), body("{}"));
        assertTrue(log("\"body\":{}").hasBody());
        assertEquals(AnyValue.ValueCase.INT_VALUE, body("{\"intValue\":0}").getValueCase());
        assertEquals(
                AnyValue.ValueCase.BOOL_VALUE, body("{\"boolValue\":false}").getValueCase());
        assertEquals(
                AnyValue.ValueCase.STRING_VALUE, body("{\"stringValue\":\"\"}").getValueCase());
        assertEquals(AnyValue.getDefaultInstance(), body("{\"stringValue\":null}"));
    }

    @Test
    void point37TakesTextInUtf8() throws Exception {
        assertEquals("é日🧵", body("{\"stringValue\":\"é日🧵\"}").getStringValue());
        assertEquals(
                "é日🧵\n",
                body("{\"stringValue\":\"\\u00e9\\u65e5\\ud83e\\uddf5\\n\"}").getStringValue());
        assertEquals(
                "\uFFFDx\uFFFD", body("{\"stringValue\":\"\\udc00x\\ud83e\"}").getStringValue());
        byte[] broken = "{\"resourceLogs\":[{\"schemaUrl\":\"?\"}]}".getBytes(StandardCharsets.UTF_8);
        broken[broken.length - 5] = (byte) 0xC3;
        MalformedJsonException e =
                assertThrows(MalformedJsonException.class, () -> transcode(Signal.LOGS, broken, new TightBuffer(1000)));
        assertTrue(e.getMessage().contains("UTF-8"), e.getMessage());
    }

    @Test
    void point44TakesEveryKindOfPoint() throws Exception {
        ExportMetricsServiceRequest request = (ExportMetricsServiceRequest) transcode(
                Signal.METRICS,
                "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":["
                        + "{\"gauge\":{\"dataPoints\":[{\"asInt\":\"-5\",\"flags\":1}]}},"
                        + "{\"exponentialHistogram\":{\"aggregationTemporality\":1,\"dataPoints\":[{\"scale\":-3,"
                        + "\"positive\":{\"offset\":-2,\"bucketCounts\":[\"1\",2,\"300\"]}}]}},"
                        + "{\"histogram\":{\"dataPoints\":[{\"bucketCounts\":[1,\"2\"],\"explicitBounds\":[0.5]}]}},"
                        + "{\"summary\":{\"dataPoints\":[{\"quantileValues\":[{\"quantile\":0.5,\"value\":1}]}]}}"
                        + "]}]}]}");
        var metrics = request.getResourceMetrics(0).getScopeMetrics(0).getMetricsList();
        NumberDataPoint number = metrics.get(0).getGauge().getDataPoints(0);
        assertEquals(-5, number.getAsInt());
        assertEquals(1, number.getFlags());
        ExponentialHistogramDataPoint buckets =
                metrics.get(1).getExponentialHistogram().getDataPoints(0);
        assertEquals(-3, buckets.getScale());
        assertEquals(-2, buckets.getPositive().getOffset());
        assertEquals(List.of(1L, 2L, 300L), buckets.getPositive().getBucketCountsList());
        assertEquals(
                List.of(1L, 2L), metrics.get(2).getHistogram().getDataPoints(0).getBucketCountsList());
        assertEquals(
                1.0,
                metrics.get(3)
                        .getSummary()
                        .getDataPoints(0)
                        .getQuantileValues(0)
                        .getValue());
    }

    @Test
    void shouldRefuseWhatIsNoJsonOrOfAnotherShape() {
        refusedWhole("", "request is not an object");
        refusedWhole("[]", "request is not an object");
        refusedWhole("{} {}", "request is followed by more text");
        refusedWhole("{\"resourceLogs\":{}}", "/resourceLogs is not an array");
        refusedWhole("{\"resourceLogs\":[1]}", "/resourceLogs/0 is not an object");
        refusedWhole("{\"resourceLogs\":[null]}", "/resourceLogs/0 is not an object");
        refusedWhole("{\"resourceLogs\":[{\"resource\":[]}]}", "/resourceLogs/0/resource is not an object");
        refusedWhole("{\"resourceLogs\":[{}", "request is not JSON: ");
        refusedWhole("{'resourceLogs':[]}", "request is not JSON: ");
        refusedWhole("{\"resourceLogs\":[NaN]}", "request is not JSON: ");
        refused("\"body\":{\"boolValue\":\"true\"}", "body/boolValue is neither true nor false");
    }

    @Test
    void shouldRefuseStringsThatTakeTooMuchHeap() throws Exception {
        String longest = "x".repeat(JsonRequests.STRING_LENGTH_MAX);
        ExportLogsServiceRequest request = (ExportLogsServiceRequest)
                transcode(Signal.LOGS, "{\"resourceLogs\":[{\"schemaUrl\":\"" + longest + "\"}]}");
        assertEquals(longest, request.getResourceLogs(0).getSchemaUrl());
        refusedWhole("{\"resourceLogs\":[{\"schemaUrl\":\"" + longest + "x\"}]}", "exceeds the maximum");
        transcode(Signal.LOGS, "{\"unknown\":\"" + longest + "x\"}");
    }

    @Test
    void shouldRefuseWhatIsNestedTooDeep() throws Exception {
        String deep = "{\"arrayValue\":{\"values\":[".repeat(47) + "]}}".repeat(47);
        body(deep); // 4 + 1 + 2 * 47 messages in the request
        refused(
                "\"body\":" + "{\"arrayValue\":{\"values\":[".repeat(50) + "]}}".repeat(50),
                "nested more than 100 deep");
        refusedWhole("{\"unknown\":" + "[".repeat(100_000), "request is not JSON: ");
        refusedWhole("{\"unknown\":" + "{\"a\":".repeat(100_000), "request is not JSON: ");
    }

    @Test
    void shouldConvertWhatBecomesLonger() throws Exception {
        // Eight bytes from two characters, before and behind what becomes shorter.
        String numbers = "{\"dataPoints\":[{\"explicitBounds\":[" + "1,".repeat(20_000) + "1]}]}";
        String spaces = " ".repeat(50_000);
        for (String json : List.of(spaces + numbers, numbers + spaces, numbers)) {
            String request =
                    "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"histogram\":" + json + "}]}]}]}";
            ExportMetricsServiceRequest metrics = (ExportMetricsServiceRequest) transcode(Signal.METRICS, request);
            HistogramDataPoint point = metrics.getResourceMetrics(0)
                    .getScopeMetrics(0)
                    .getMetrics(0)
                    .getHistogram()
                    .getDataPoints(0);
            assertEquals(java.util.Collections.nCopies(20_001, 1.0), point.getExplicitBoundsList());
        }
    }

    @Test
    void shouldEndWhenThereIsNoRoom() throws Exception {
        byte[] json =
                "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[{\"histogram\":{\"dataPoints\":[{\"explicitBounds\":[?]}]}}]}]}]}"
                        .replace("?", "1" + ",1".repeat(9_999))
                        .getBytes(StandardCharsets.UTF_8);
        TightBuffer all = new TightBuffer(100_000);
        assertTrue(transcode(Signal.METRICS, json, all));
        assertTrue(all.length() > 80_000);
        int needed = all.length() + 4;
        assertTrue(transcode(Signal.METRICS, json, new TightBuffer(needed)));
        for (int max : new int[] {0, 1, json.length, 70_000, all.length() - 1}) {
            assertFalse(transcode(Signal.METRICS, json, new TightBuffer(max)));
        }
    }

    @Test
    void shouldNameTheProblemOfDamagedJson() throws InvalidProtocolBufferException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("JsonRequestsTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        RandomMessages messages = new RandomMessages(random, true);
        int refused = 0;
        for (int i = 0; i < 500; i++) {
            Signal signal = SIGNALS.get(random.nextInt(SIGNALS.size()));
            byte[] json = JsonForm.of(messages.message(OfficialRequests.type(signal)), random)
                    .getBytes(StandardCharsets.UTF_8);
            byte[] damaged = messages.mutate(json);
            try {
                TightBuffer message = new TightBuffer(LENGTH_MAX);
                assertTrue(transcode(signal, damaged, message));
                OfficialRequests.type(signal).getParserForType().parseFrom(message.message());
            } catch (MalformedJsonException e) {
                refused++;
                assertTrue(e.getMessage().length() < 500, e.getMessage());
            }
        }
        assertTrue(refused > 50, "seed=" + seed + ", refused=" + refused);
    }

    private static final class MalformedJsonException extends Exception {
        private static final long serialVersionUID = 1;

        MalformedJsonException(String message) {
            super(message);
        }
    }

    private static Message transcode(Signal signal, String json)
            throws MalformedJsonException, InvalidProtocolBufferException {
        byte[] bytes = ("  " + json + "  ").getBytes(StandardCharsets.UTF_8);
        TightBuffer message = new TightBuffer(LENGTH_MAX);
        assertTrue(transcode(signal, bytes, message));
        return OfficialRequests.type(signal).getParserForType().parseFrom(message.message());
    }

    private static boolean transcode(Signal signal, byte[] json, MessageBuffer message) throws MalformedJsonException {
        ExportOutcome outcome = new ExportOutcome();
        boolean whole = new JsonRequests().transcode(signal, new UnsafeBuffer(json), 0, json.length, message, outcome);
        if (outcome.status() == ExportOutcome.Status.MALFORMED) {
            throw new MalformedJsonException(outcome.message());
        }
        return whole;
    }

    private static String request(String fields) {
        return "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{" + fields + "}]}]}]}";
    }

    private static LogRecord log(String fields) throws Exception {
        ExportLogsServiceRequest request = (ExportLogsServiceRequest) transcode(Signal.LOGS, request(fields));
        return request.getResourceLogs(0).getScopeLogs(0).getLogRecords(0);
    }

    private static AnyValue body(String value) throws Exception {
        return log("\"body\":" + value).getBody();
    }

    private static void refused(String fields, String expected) {
        refusedWhole(request(fields), expected);
    }

    private static void refusedWhole(String json, String expected) {
        MalformedJsonException e =
                assertThrows(MalformedJsonException.class, () -> transcode(Signal.LOGS, json), () -> json);
        assertTrue(e.getMessage().contains(expected), e.getMessage());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
