package dev.loom.otlp.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnknownFieldSet;
import com.sun.management.ThreadMXBean;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Every field against the official generated classes; and what no client sends. {@code -Dloom.test.seed=S} sets the seed. */
class OtlpFormatTest {
    private static final int ROUNDS = Integer.getInteger("loom.rounds", 400);
    private static final long ADDRESS = 4_096;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final OtlpRecords records = new OtlpRecords(random);
    private final OneContext lookup = new OneContext();
    private final FieldValue value = new FieldValue();

    @Test
    void shouldReadEveryFieldAsTheGeneratedClasses() {
        System.out.println("OtlpFormatTest: -Dloom.test.seed=" + seed);
        value.lookup(lookup);
        for (int round = 0; round < ROUNDS; round++) {
            ResourceMetrics plain = records.context(Metric.getDefaultInstance());
            lookup.context = plain.toByteArray();
            LogRecord log = records.log();
            check("otlp-log", payload(log), ExpectedFields.of(log, plain));
            Span span = records.span();
            check("otlp-span", payload(span), ExpectedFields.of(span, plain));
            check("otlp-context", lookup.context, ExpectedFields.of(plain));
            Metric metric = records.metric();
            ResourceMetrics context = records.context(metric);
            lookup.context = context.toByteArray();
            check("otlp-metric", payload(point(metric)), ExpectedFields.of(metric, context));
            check("otlp-context", lookup.context, ExpectedFields.of(context));
        }
    }

    /** To protobuf, one message after the other is the two merged. */
    @Test
    void shouldTakeTheLastOfSeveralValues() throws InvalidProtocolBufferException {
        System.out.println("OtlpFormatTest: -Dloom.test.seed=" + seed);
        value.lookup(lookup);
        ResourceMetrics context = records.context(Metric.getDefaultInstance());
        lookup.context = context.toByteArray();
        for (int round = 0; round < ROUNDS; round++) {
            LogRecord log = records.log();
            LogRecord.Builder laterLog = records.log().toBuilder().clearAttributes();
            if (laterLog.getBody().hasArrayValue() || laterLog.getBody().hasKvlistValue()) {
                laterLog.clearBody(); // of two lists, ours is the last
            }
            byte[] logs =
                    log.toByteString().concat(laterLog.build().toByteString()).toByteArray();
            check("otlp-log", payload(logs), ExpectedFields.of(LogRecord.parseFrom(logs), context));
            Span span = records.span();
            Span laterSpan = records.span().toBuilder().clearAttributes().build();
            byte[] spans = span.toByteString().concat(laterSpan.toByteString()).toByteArray();
            check("otlp-span", payload(spans), ExpectedFields.of(Span.parseFrom(spans), context));
        }
    }

    @Test
    void shouldTakeTheLastOfTheValuesOfAnExemplar() throws IOException {
        value.lookup(lookup);
        ByteString real = Exemplar.newBuilder().setAsDouble(1.5).build().toByteString();
        ByteString integer = Exemplar.newBuilder().setAsInt(7).build().toByteString();
        for (ByteString exemplar : List.of(real.concat(integer), integer.concat(real))) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.write(NumberDataPoint.EXEMPLARS_FIELD_NUMBER << 3 | 2);
            bytes.write(exemplar.size());
            exemplar.writeTo(bytes);
            NumberDataPoint point = NumberDataPoint.parseFrom(bytes.toByteArray());
            Metric metric = Metric.newBuilder()
                    .setName("m")
                    .setGauge(Gauge.newBuilder().addDataPoints(point))
                    .build();
            ResourceMetrics context = records.context(metric);
            lookup.context = context.toByteArray();
            check("otlp-metric", payload(bytes.toByteArray()), ExpectedFields.of(metric, context));
        }
    }

    @Test
    void shouldPutTogetherTheBucketsOfAHistogramThatComeInParts() throws InvalidProtocolBufferException {
        value.lookup(lookup);
        // the last part has its count in a field of its own
        String parts = "4205080a120105" + "4a03120103" + "4203120107" + "4a02080c" + "420408091006";
        byte[] bytes = ExponentialHistogramDataPoint.newBuilder()
                .setCount(21)
                .build()
                .toByteString()
                .concat(ByteString.fromHex(parts))
                .toByteArray();
        ExponentialHistogramDataPoint point = ExponentialHistogramDataPoint.parseFrom(bytes);
        assertEquals(List.of(5L, 7L, 6L), point.getPositive().getBucketCountsList());
        Metric metric = Metric.newBuilder()
                .setName("m")
                .setExponentialHistogram(ExponentialHistogram.newBuilder().addDataPoints(point))
                .build();
        ResourceMetrics context = records.context(metric);
        lookup.context = context.toByteArray();
        check("otlp-metric", payload(bytes), ExpectedFields.of(metric, context));
    }

    /** Also where the rest of the point is whole. */
    @Test
    void shouldGiveNoBucketsWhenAPartOfThemIsMalformed() {
        value.lookup(lookup);
        Metric metric = Metric.newBuilder()
                .setExponentialHistogram(ExponentialHistogram.getDefaultInstance())
                .build();
        lookup.context = records.context(metric).toByteArray();
        FieldReader buckets =
                Objects.requireNonNull(Formats.parse("otlp-metric").field("buckets"));
        for (String part : List.of("420108", "42021205", "4a020b0b")) {
            for (String point : List.of(part + "4205080a120105", "4205080a120105" + part)) {
                byte[] payload = payload(ByteString.fromHex(point).toByteArray());
                buckets.read(new UnsafeBuffer(payload), 0, payload.length, value);
                assertEquals(FieldValue.Kind.ABSENT, value.kind(), point);
            }
        }
    }

    @Test
    void shouldLookNoFurtherThanTheFirstValueWhenFieldsAreThereOnce() {
        byte[] span = {(byte) Span.KIND_FIELD_NUMBER << 3, 1, (byte) Span.KIND_FIELD_NUMBER << 3, 2, (byte) 0xFF};
        FieldReader kind = Objects.requireNonNull(Formats.parse("otlp-span").field("kind"));
        kind.read(new UnsafeBuffer(payload(span, true)), 0, Long.BYTES + span.length, value);
        assertEquals("internal", value.text());
        byte[] log = new byte[3 * (1 + Long.BYTES)];
        for (int i = 0; i < 3; i++) {
            log[i * (1 + Long.BYTES)] = LogRecord.TIME_UNIX_NANO_FIELD_NUMBER << 3 | 1;
            log[i * (1 + Long.BYTES) + 1] = (byte) (i + 1);
        }
        FieldReader time = Objects.requireNonNull(Formats.parse("otlp-log").field("time"));
        time.read(new UnsafeBuffer(payload(log, true)), 0, Long.BYTES + log.length, value);
        assertEquals(1, value.longValue());
        time.read(new UnsafeBuffer(payload(log, false)), 0, Long.BYTES + log.length, value);
        assertEquals(3, value.longValue());
    }

    /** Where its context is stands for a field of the context, as long as the record may refer to it; nothing for a field of its own. */
    @Test
    void shouldStandForFieldsOfAContextByItsAddress() {
        value.lookup(lookup);
        UnsafeBuffer payload = new UnsafeBuffer(payload(new byte[0], true));
        PayloadFormat span = Formats.parse("otlp-span");
        for (String name : List.of("service.name", "resource", "resource.a.b", "scope.name", "scope.attr.x")) {
            FieldReader identity =
                    Objects.requireNonNull(span.field(name), name).identity();
            identity.read(payload, 0, payload.capacity(), value);
            assertEquals(ADDRESS, value.longValue(), name);
            assertEquals(FieldValue.Kind.INTEGER, value.kind(), name);
            identity.read(payload, 0, Long.BYTES - 1, value);
            assertEquals(FieldValue.Kind.ABSENT, value.kind(), name);
            payload.putLong(0, ContextReference.of(2 * ADDRESS, false));
            identity.read(payload, 0, payload.capacity(), value);
            assertEquals(FieldValue.Kind.ABSENT, value.kind(), name);
            payload.putLong(0, ContextReference.of(ADDRESS, false));
        }
        for (String name : List.of("name", "duration", "attr.x", "events", "status")) {
            FieldReader reader = Objects.requireNonNull(span.field(name), name);
            assertSame(reader, reader.identity(), name);
        }
        FieldReader own = Objects.requireNonNull(Formats.parse("otlp-context").field("service.name"));
        assertSame(own, own.identity());
    }

    private static MessageLite point(Metric metric) {
        return switch (metric.getDataCase()) {
            case GAUGE -> metric.getGauge().getDataPoints(0);
            case SUM -> metric.getSum().getDataPoints(0);
            case HISTOGRAM -> metric.getHistogram().getDataPoints(0);
            case EXPONENTIAL_HISTOGRAM -> metric.getExponentialHistogram().getDataPoints(0);
            case SUMMARY -> metric.getSummary().getDataPoints(0);
            case DATA_NOT_SET -> Metric.getDefaultInstance();
        };
    }

    /** Of a message as the generated classes write it: each field once, of which the payload may know. */
    private byte[] payload(MessageLite message) {
        return payload(message.toByteArray(), random.nextBoolean());
    }

    private static byte[] payload(byte[] bytes) {
        return payload(bytes, false);
    }

    private static byte[] payload(byte[] bytes, boolean fieldsOnce) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + bytes.length]);
        payload.putLong(0, ContextReference.of(ADDRESS, fieldsOnce));
        payload.putBytes(Long.BYTES, bytes);
        return payload.byteArray();
    }

    private void check(String formatName, byte[] payload, Map<String, String> expected) {
        PayloadFormat format = Formats.parse(formatName);
        UnsafeBuffer around = new UnsafeBuffer(new byte[payload.length + 20]);
        random.nextBytes(around.byteArray());
        around.putBytes(9, payload);
        Map<String, String> actual = new TreeMap<>();
        Map<String, String> others = new TreeMap<>(expected);
        for (Field field : format.fields()) {
            others.remove(field.name());
            put(actual, format, field.name(), around, payload.length);
        }
        others.keySet().forEach(name -> put(actual, format, name, around, payload.length));
        assertEquals(new TreeMap<>(expected), actual, "seed=" + seed + ", format=" + formatName);
    }

    private void put(Map<String, String> into, PayloadFormat format, String name, DirectBuffer around, int length) {
        FieldReader reader = format.field(name);
        if (reader == null) {
            return; // an attribute without a key is a field without a name
        }
        reader.read(around, 9, length, value);
        if (value.kind() != FieldValue.Kind.ABSENT) {
            into.put(name, value.kind() + " " + value.text());
        }
        if (value.kind() == FieldValue.Kind.JSON) {
            FieldValue parsed = new FieldValue();
            Objects.requireNonNull(Formats.json().field(""))
                    .read(value.bytes(), value.offset(), value.length(), parsed);
            assertEquals(value.text(), parsed.text(), "seed=" + seed + ", field=" + name);
        }
    }

    /** Buffers check their bounds, so a step outside would be an exception; and what lies around changes nothing. */
    @Test
    void shouldReadNothingOutsideWhateverTheBytesAre() {
        System.out.println("OtlpFormatTest: -Dloom.test.seed=" + seed);
        value.lookup(lookup);
        FieldValue second = new FieldValue();
        second.lookup(lookup);
        for (int round = 0; round < ROUNDS; round++) {
            Metric metric = records.metric();
            byte[] context = mutated(records.context(metric).toByteArray());
            lookup.context = context;
            for (String name : new TreeSet<>(new OtlpFormatProvider().names())) {
                byte[] payload = mutated(
                        switch (name) {
                            case "otlp-log" -> payload(records.log());
                            case "otlp-span" -> payload(records.span());
                            case "otlp-metric" -> payload(point(metric));
                            default -> context;
                        });
                UnsafeBuffer exact = new UnsafeBuffer(payload.clone());
                UnsafeBuffer within = new UnsafeBuffer(new byte[payload.length + 64]);
                random.nextBytes(within.byteArray());
                within.putBytes(32, payload);
                for (FieldReader reader : readers(Formats.parse(name))) {
                    reader.read(exact, 0, payload.length, value);
                    String alone = value.kind() + " " + value.text();
                    reader.read(within, 32, payload.length, second);
                    assertEquals(alone, second.kind() + " " + second.text(), "seed=" + seed + ", format=" + name);
                    reader.read(exact, random.nextInt(), random.nextInt(), value);
                    reader.read(exact, payload.length - 3, 1 << 20, value);
                }
            }
        }
    }

    /** A message that is cut, or damaged, is none: what was before the damage may not be what was sent. */
    @Test
    void shouldGiveNoValueWhenMessageIsMalformed() {
        System.out.println("OtlpFormatTest: -Dloom.test.seed=" + seed);
        FieldReader flags = Objects.requireNonNull(Formats.parse("otlp-log").field("flags"));
        int malformed = 0;
        for (int round = 0; round < 10 * ROUNDS; round++) {
            byte[] payload = mutated(payload(records.log()));
            if (payload.length >= Long.BYTES) {
                payload[0] &= ~ContextReference.FIELDS_ONCE; // with it, what was checked before is not looked at
                flags.read(new UnsafeBuffer(payload), 0, payload.length, value);
                boolean parsed = isMessage(Arrays.copyOfRange(payload, Long.BYTES, payload.length));
                assertEquals(parsed, value.kind() != FieldValue.Kind.ABSENT, "seed=" + seed + ", round=" + round);
                malformed += parsed ? 0 : 1;
            }
        }
        assertTrue(malformed > ROUNDS, "malformed=" + malformed);
    }

    private static boolean isMessage(byte[] bytes) {
        try {
            // with ten bytes at hand it accepts a varint that goes on behind them
            CodedInputStream in = CodedInputStream.newInstance(new ByteArrayInputStream(bytes), 9);
            UnknownFieldSet fields = UnknownFieldSet.parseFrom(in);
            in.checkLastTagWas(0);
            return fields.getSerializedSize() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static List<FieldReader> readers(PayloadFormat format) {
        List<FieldReader> readers = new ArrayList<>();
        format.fields().forEach(field -> readers.add(Objects.requireNonNull(format.field(field.name()))));
        for (String name : List.of("attr.http.route2", "resource.http.route2", "scope.attr.x")) {
            FieldReader reader = format.field(name);
            if (reader != null) {
                readers.add(reader);
            }
        }
        return readers;
    }

    private byte[] mutated(byte[] bytes) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            byte[] noise = new byte[random.nextInt(80)];
            random.nextBytes(noise);
            return noise;
        }
        int length = kind == 1 ? random.nextInt(bytes.length + 1) : bytes.length;
        byte[] mutated = Arrays.copyOf(bytes, length);
        for (int i = kind > 6 ? 0 : random.nextInt(6); i > 0 && length > Long.BYTES; i--) {
            mutated[Long.BYTES + random.nextInt(length - Long.BYTES)] = (byte) random.nextInt();
        }
        return mutated;
    }

    @Test
    void shouldGiveNoValueWhenContextIsNotFound() {
        FieldValue without = new FieldValue();
        byte[] payload = payload(records.log());
        for (String name : List.of("service.name", "resource", "resource.x", "scope.name", "scope.attr.x")) {
            FieldReader reader =
                    Objects.requireNonNull(Formats.parse("otlp-log").field(name));
            without.setInteger(1);
            reader.read(new UnsafeBuffer(payload), 0, payload.length, without);
            assertEquals(FieldValue.Kind.ABSENT, without.kind(), name);
        }
    }

    @Test
    void shouldGiveNoValueWhenMessagesAreNestedTooDeep() {
        AnyValue any = AnyValue.newBuilder().setBoolValue(true).build();
        for (int depth = 1; depth < 120; depth++) {
            any = AnyValue.newBuilder()
                    .setArrayValue(ArrayValue.newBuilder().addValues(any))
                    .build();
            byte[] payload = payload(LogRecord.newBuilder().setBody(any).build());
            Objects.requireNonNull(Formats.parse("otlp-log").field("body"))
                    .read(new UnsafeBuffer(payload), 0, payload.length, value);
            assertEquals(depth <= AttributeJson.LEVELS_MAX, value.kind() == FieldValue.Kind.JSON, "depth=" + depth);
        }
    }

    @Test
    void shouldAllocateNothingOnceWarm() {
        value.lookup(lookup);
        Metric metric = Metric.newBuilder()
                .setName("m")
                .setGauge(Gauge.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder().setAsInt(3)))
                .build();
        lookup.context = records.context(metric).toByteArray();
        List<byte[]> payloads = new ArrayList<>();
        List<List<FieldReader>> readers = new ArrayList<>();
        for (String name : List.of("otlp-log", "otlp-span", "otlp-metric")) {
            payloads.add(payload(
                    switch (name) {
                        case "otlp-log" -> records.log();
                        case "otlp-span" -> records.span();
                        default -> point(metric);
                    }));
            PayloadFormat format = Formats.parse(name);
            List<FieldReader> plain = new ArrayList<>();
            for (Field field : format.fields()) {
                FieldReader reader = Objects.requireNonNull(format.field(field.name()));
                UnsafeBuffer last = new UnsafeBuffer(payloads.get(payloads.size() - 1));
                reader.read(last, 0, last.capacity(), value);
                if (value.kind() != FieldValue.Kind.JSON) { // doubles within JSON are made by the JDK
                    plain.add(reader);
                }
            }
            readers.add(plain);
        }
        List<UnsafeBuffer> buffers = payloads.stream().map(UnsafeBuffer::new).toList();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 20_000;
        long allocated = 0;
        for (int pass = 0; pass < 2; pass++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                for (int j = 0; j < buffers.size(); j++) {
                    List<FieldReader> all = readers.get(j);
                    for (int k = 0; k < all.size(); k++) {
                        all.get(k).read(buffers.get(j), 0, buffers.get(j).capacity(), value);
                    }
                }
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated < rounds, "allocated bytes: total=" + allocated + ", seed=" + seed);
    }

    @Test
    void shouldDescribeItsFields() {
        PayloadFormat span = Formats.parse("otlp-span");
        assertEquals("otlp-span", span.text());
        assertEquals("end", span.eventTimeField());
        assertEquals("time", Formats.parse("otlp-log").eventTimeField());
        assertEquals("time", Formats.parse("otlp-metric").eventTimeField());
        assertNull(Formats.parse("otlp-context").eventTimeField());
        assertEquals(
                ValueUnit.NANOSECONDS, IndexFunction.field(span, "duration").unit());
        assertEquals(
                "field:i64:ns:duration", IndexFunction.field(span, "duration").text());
        assertEquals("field:f64:1:attr.n", IndexFunction.field(span, "attr.n").text());
        assertNull(span.field("attr."));
        assertNull(span.field("http.route"));
        assertNotNull(span.field("attr.http.route"));
        assertThrows(IllegalArgumentException.class, () -> Formats.parse("otlp-span:x"));
        for (String name : new OtlpFormatProvider().names()) {
            PayloadFormat format = Formats.parse(name);
            List<String> declared = format.fields().stream().map(Field::name).toList();
            assertEquals(declared.size(), new TreeSet<>(declared).size(), name);
            assertTrue(declared.containsAll(format.columns()), name);
        }
    }

    /** One context, at one address. */
    private static final class OneContext implements RecordLookup {
        private byte[] context = {};
        private UnsafeBuffer buffer = new UnsafeBuffer(context);

        @Override
        public void from(long recordAddress) {}

        @Override
        public boolean mayRefer(long address) {
            return address == ADDRESS;
        }

        @Override
        public boolean find(long address, String format) {
            if (buffer.byteArray() != context) {
                buffer = new UnsafeBuffer(context);
            }
            return address == ADDRESS && format.equals("otlp-context");
        }

        @Override
        public DirectBuffer buffer() {
            return buffer;
        }

        @Override
        public int offset() {
            return 0;
        }

        @Override
        public int length() {
            return context.length;
        }

        @Override
        public long failures() {
            return 0;
        }

        @Override
        public void close() {}
    }
}
