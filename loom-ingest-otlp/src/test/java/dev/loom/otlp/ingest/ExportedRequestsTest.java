package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import dev.loom.otlp.export.OtlpBatch;
import dev.loom.otlp.export.RequestJson;
import dev.loom.otlp.format.OtlpFormatProvider;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that are stored, exported, and compared with what was sent, by the official classes. {@code -Dloom.otlp.rounds} sets
 * how many, {@code -Dloom.test.seed} repeats a run.
 */
class ExportedRequestsTest {
    private static final List<Signal> SIGNALS = List.of(Signal.values());

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path folder;

    @Test
    void shouldExportWhatWasSent() throws IOException {
        System.out.println("ExportedRequestsTest: -Dloom.test.seed=" + seed);
        int rounds = Integer.getInteger("loom.otlp.rounds", 300);
        long records = 0;
        try (IngestedStore store = new IngestedStore(folder, IngestSettings.defaults())) {
            Map<Signal, Long> from = new HashMap<>();
            for (int i = 0; i < rounds; i++) {
                Signal signal = SIGNALS.get(random.nextInt(SIGNALS.size()));
                boolean wellFormed = random.nextBoolean();
                RandomMessages messages = new RandomMessages(random, wellFormed);
                Message type = OfficialRequests.type(signal);
                byte[] request = messages.encode(messages.message(type));
                Message official = parsed(type, request);
                if (random.nextBoolean()) {
                    request = official.toByteArray(); // each field once, as clients send them
                }
                assertEquals(
                        ExportOutcome.Status.ACCEPTED,
                        store.export(signal, request).status());
                OtlpBatch batch = new OtlpBatch(signal);
                from.put(signal, addAll(store, signal, from.getOrDefault(signal, 0L), batch));
                Map<OfficialRequests.Stored, Integer> expected = counted(OfficialRequests.stored(official));
                byte[] exported = batch.request();
                String round = "seed=" + seed + ", round=" + i + ", signal=" + signal;
                assertEquals(expected, counted(OfficialRequests.stored(parsed(type, exported))), round);
                assertEquals(expected.values().stream().mapToInt(count -> count).sum(), batch.records(), round);
                // not all decoders merge fields that are sent twice
                assertTrue(repeats(type, request) || !repeats(type, exported), round);
                // in JSON, what has no name is lost, and ids of wrong lengths are
                Message read = parsed(type, throughJson(signal, exported));
                if (wellFormed) {
                    assertEquals(parsed(type, exported), read, round);
                } else {
                    assertEquals(read, withoutUnknown(read), round);
                    assertEquals(expected.size() > 0, read.getAllFields().size() > 0, round);
                }
                records += batch.records();
            }
        }
        assertTrue(records > rounds, "records=" + records);
    }

    private static Message parsed(Message type, byte[] bytes) {
        Message message = OfficialRequests.parse(type, bytes);
        assertNotNull(message);
        return message;
    }

    private static long addAll(IngestedStore store, Signal signal, long from, OtlpBatch batch) {
        try (Snapshot snapshot = store.writer().loom().snapshot();
                RecordLookup lookup = snapshot.lookup()) {
            Source source =
                    snapshot.source(SourceDefinitions.defaultName(signal)).orElse(null);
            if (source == null) {
                return from;
            }
            assertEquals(signal, OtlpBatch.signal(source.format()));
            try (QueryCursor record = RawScan.of(snapshot, source)
                    .order(Order.OLDEST_FIRST)
                    .fromAddress(from)
                    .open()) {
                while (record.next()) {
                    lookup.from(record.address());
                    assertTrue(batch.add(lookup, record.buffer(), record.offset(), record.length()));
                }
            }
            return snapshot.tailAddress();
        }
    }

    private static Map<OfficialRequests.Stored, Integer> counted(List<OfficialRequests.Stored> stored) {
        Map<OfficialRequests.Stored, Integer> counts = new HashMap<>();
        stored.forEach(record -> counts.merge(record, 1, Integer::sum));
        return counts;
    }

    private static boolean repeats(Message type, byte[] message) throws IOException {
        return OfficialRequests.repeats(type.getDescriptorForType(), ByteString.copyFrom(message));
    }

    private static Message withoutUnknown(Message message) {
        Message.Builder known = message.toBuilder().setUnknownFields(UnknownFieldSet.getDefaultInstance());
        message.getAllFields().forEach((field, value) -> {
            if (field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
                return;
            } else if (field.isRepeated()) {
                for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                    known.setRepeatedField(field, i, withoutUnknown((Message) message.getRepeatedField(field, i)));
                }
            } else {
                known.setField(field, withoutUnknown((Message) value));
            }
        });
        return known.build();
    }

    private static byte[] throughJson(Signal signal, byte[] request) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        RequestJson.write(signal, request, line);
        byte[] json = line.toByteArray();
        for (byte value : json) {
            assertFalse(value == '\n');
        }
        MessageBuffer message = new MessageBuffer(new UnsafeBuffer(new byte[1 << 20]), 0, 1 << 20);
        ExportOutcome outcome = new ExportOutcome();
        assertTrue(new JsonRequests().transcode(signal, new UnsafeBuffer(json), 0, json.length, message, outcome));
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
        byte[] read = new byte[message.length()];
        message.buffer().getBytes(message.offset(), read);
        return read;
    }

    /** A metric has one kind of data; several of one name need a message each. */
    @Test
    void shouldKeepMetricsOfOneNameAndSeveralKindsApart() throws IOException {
        NumberDataPoint point = NumberDataPoint.newBuilder().setAsInt(7).build();
        ScopeMetrics scope = ScopeMetrics.newBuilder()
                .addMetrics(Metric.newBuilder()
                        .setName("m")
                        .setGauge(Gauge.newBuilder().addDataPoints(point)))
                .addMetrics(
                        Metric.newBuilder().setName("m").setSum(Sum.newBuilder().addDataPoints(point)))
                .addMetrics(Metric.newBuilder()
                        .setName("m")
                        .setSum(Sum.newBuilder().setIsMonotonic(true).addDataPoints(point)))
                .build();
        ExportMetricsServiceRequest request = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder().addScopeMetrics(scope))
                .build();
        try (IngestedStore store = new IngestedStore(folder, IngestSettings.defaults())) {
            store.export(Signal.METRICS, request.toByteArray());
            OtlpBatch batch = new OtlpBatch(Signal.METRICS);
            addAll(store, Signal.METRICS, 0, batch);
            assertEquals(request, ExportMetricsServiceRequest.parseFrom(batch.request()));
        }
    }

    @Test
    void shouldLeaveOutWhatCannotBeSent() {
        byte[] log = LogRecord.newBuilder()
                .setBody(AnyValue.newBuilder().setStringValue("\u00e9"))
                .build()
                .toByteArray();
        byte[] invalid = log.clone();
        invalid[invalid.length - 1] = 'x';
        ResourceLogs resource = ResourceLogs.newBuilder()
                .addScopeLogs(ScopeLogs.newBuilder().addLogRecords(LogRecord.getDefaultInstance()))
                .build();
        try (IngestedStore store = new IngestedStore(folder, IngestSettings.defaults())) {
            store.export(
                    Signal.LOGS,
                    ExportLogsServiceRequest.newBuilder()
                            .addResourceLogs(resource)
                            .build()
                            .toByteArray());
            try (Snapshot snapshot = store.writer().loom().snapshot();
                    RecordLookup lookup = snapshot.lookup();
                    QueryCursor record = RawScan.of(
                                    snapshot, snapshot.source("otlp.logs").orElseThrow())
                            .open()) {
                assertTrue(record.next());
                long reference = record.buffer().getLong(record.offset(), ByteOrder.LITTLE_ENDIAN);
                lookup.from(record.address());
                OtlpBatch batch = new OtlpBatch(Signal.LOGS);
                assertFalse(add(batch, lookup, reference, invalid), "not UTF-8");
                assertFalse(add(batch, lookup, reference, Arrays.copyOf(log, log.length - 1)), "cut");
                assertFalse(add(batch, lookup, reference + 8, log), "no context");
                assertFalse(batch.add(lookup, new UnsafeBuffer(new byte[7]), 0, 7), "no reference");
                assertFalse(add(new OtlpBatch(Signal.METRICS), lookup, reference, log), "a log is no point");
                assertEquals(0, batch.records());
                assertEquals(0, batch.request().length);
                assertTrue(add(batch, lookup, reference, log));
                assertEquals(1, batch.records());
                batch.clear();
                assertEquals(0, batch.request().length);
            }
        }
        for (String other : List.of("text", "json", "struct:a:i64", OtlpFormatProvider.CONTEXT, "timed:text")) {
            assertNull(OtlpBatch.signal(Formats.parse(other)), other);
        }
    }

    private static boolean add(OtlpBatch batch, RecordLookup lookup, long reference, byte[] message) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + message.length]);
        payload.putLong(0, reference, ByteOrder.LITTLE_ENDIAN);
        payload.putBytes(Long.BYTES, message);
        return batch.add(lookup, payload, 0, payload.capacity());
    }
}
