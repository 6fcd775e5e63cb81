package dev.loom.otlp.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Attributes of which a client sends one key several times: the first counts, whoever asks. */
class DuplicateKeysTest {
    private static KeyValue pair(String key, long value) {
        return KeyValue.newBuilder()
                .setKey(key)
                .setValue(AnyValue.newBuilder().setIntValue(value))
                .build();
    }

    private static String field(LogRecord log, String name) {
        byte[] message = log.toByteArray();
        UnsafeBuffer payload = new UnsafeBuffer(new byte[Long.BYTES + message.length]);
        payload.putBytes(Long.BYTES, message);
        FieldValue value = new FieldValue();
        Objects.requireNonNull(Formats.parse("otlp-log").field(name)).read(payload, 0, payload.capacity(), value);
        return value.kind() == FieldValue.Kind.INTEGER ? String.valueOf(value.longValue()) : value.text();
    }

    @Test
    void shouldTellTheFirstValueOfAKey() {
        AnyValue map = AnyValue.newBuilder()
                .setKvlistValue(KeyValueList.newBuilder()
                        .addValues(pair("a", 1))
                        .addValues(pair("a", 2))
                        .addValues(pair("b", 3)))
                .build();
        LogRecord log = LogRecord.newBuilder()
                .addAttributes(pair("a", 1))
                .addAttributes(KeyValue.newBuilder().setKey("m").setValue(map))
                .addAttributes(pair("a", 2))
                .addAttributes(pair("", 4))
                .addAttributes(pair("b", 3))
                .addAttributes(pair("", 5))
                .addAttributes(KeyValue.newBuilder().setKey("m").setValue(map))
                .setBody(map)
                .build();
        assertEquals("{\"a\":1,\"m\":{\"a\":1,\"b\":3},\"\":4,\"b\":3}", field(log, "attributes"));
        assertEquals("{\"a\":1,\"b\":3}", field(log, "body"));
        assertEquals("1", field(log, "attr.a"));
        assertEquals("1", field(log, "body.a"));
    }

    /** As many as may be, and few: against a set of the platform. */
    @Test
    void shouldFindKeysAmongMany() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("DuplicateKeysTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int count = 1 << random.nextInt(12);
            int different = 1 + random.nextInt(2 * count);
            Set<String> keys = new HashSet<>();
            StringJoiner expected = new StringJoiner(",", "{", "}");
            List<KeyValue> pairs = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                String key = Integer.toString(random.nextInt(different), Character.MAX_RADIX);
                pairs.add(pair(key, i));
                if (keys.add(key)) {
                    expected.add('"' + key + "\":" + i);
                }
            }
            LogRecord log = LogRecord.newBuilder().addAllAttributes(pairs).build();
            assertEquals(expected.toString(), field(log, "attributes"), "seed=" + seed);
        }
    }

    @Test
    void shouldTellKeysApartByAllTheirBytes() {
        SeenKeys keys = new SeenKeys();
        byte[] bytes = "aababcaab".getBytes(StandardCharsets.UTF_8);
        UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        assertEquals(true, keys.add(buffer, 0, 2));
        assertEquals(true, keys.add(buffer, 0, 1));
        assertEquals(true, keys.add(buffer, 0, 0));
        assertEquals(true, keys.add(buffer, 1, 2));
        assertEquals(false, keys.add(buffer, 6, 2));
        assertEquals(false, keys.add(buffer, 9, 0));
        keys.clear();
        assertEquals(true, keys.add(buffer, 6, 2));
    }
}
