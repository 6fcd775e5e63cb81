package dev.loom.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.Formats;
import dev.loom.format.LookupWithoutPayloads;
import dev.loom.format.PayloadFormat;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class KeyWordsTest {
    private static final int HASH_SEED = 1;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    KeyWordsTest() {
        System.out.println("KeyWordsTest: -Dloom.test.seed=" + seed);
    }

    /** What stands for the key of a payload, or null; where the payload ends, the buffer may end too. */
    private static List<Long> words(KeyWords of, byte[] payload, int spare) {
        UnsafeBuffer buffer = new UnsafeBuffer(Arrays.copyOf(payload, payload.length + spare));
        RecordBatch batch = new RecordBatch();
        batch.setOne(buffer, 0, payload.length, 0);
        if (of.read(batch) == 0) {
            return null;
        }
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < of.width(); i++) {
            all.add(of.words()[i]);
        }
        all.add((long) of.hash(0));
        return all;
    }

    private static KeyWords of(String format, String... fields) {
        KeyWords words = KeyWords.of(Formats.parse(format), List.of(fields), null, HASH_SEED);
        assertNotNull(words);
        return words;
    }

    private static byte[] json(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldStandForTextsUpTo31Bytes() {
        KeyWords of = of("json", "v");
        Map<List<Long>, String> seen = new HashMap<>();
        for (int length = 0; length <= 31; length++) {
            for (char c : new char[] {'a', 'b', '\u007f'}) {
                String text = String.valueOf(c).repeat(length);
                byte[] payload = json("{\"v\":\"" + text + "\"}");
                List<Long> words = words(of, payload, 64);
                assertNotNull(words, text);
                assertEquals(words, words(of, payload, 0), text);
                String before = seen.put(words, text);
                assertTrue(before == null || before.equals(text), text + " and " + before);
            }
        }
        assertNull(words(of, json("{\"v\":\"" + "a".repeat(32) + "\"}"), 0));
        assertNull(words(of, json("{\"v\":[1]}"), 0));
    }

    @Test
    void shouldTellKindsApart() {
        KeyWords of = of("json", "v");
        List<String> values = List.of(
                "1",
                "1.0",
                "true",
                "\"1\"",
                "\"\"",
                "null",
                "0",
                "false",
                "0.0",
                "-0.0",
                "1e300",
                "18446744073709551615",
                "-1");
        List<List<Long>> found = values.stream()
                .map(value -> words(of, json("{\"v\":" + value + "}"), 0))
                .toList();
        for (int i = 0; i < values.size(); i++) {
            for (int j = 0; j < i; j++) {
                assertNotEquals(found.get(i), found.get(j), values.get(i) + " and " + values.get(j));
            }
        }
    }

    @Test
    void shouldTakeAFewFieldsOnly() {
        PayloadFormat format = Formats.parse("struct:a:i64,b:u8,c:utf8,d:utf8,e:i32,f:utf8");
        assertEquals(2, of("struct:a:i64,b:u8", "b", "a").width());
        assertEquals(8, of(format.text(), "c", "d").width());
        assertNull(KeyWords.of(format, List.of("c", "d", "a"), null, HASH_SEED));
        assertNull(KeyWords.of(format, List.of(), null, HASH_SEED));
        assertNull(KeyWords.of(format, List.of("none"), null, HASH_SEED));
    }

    /** Random records of few values: records with equal words have equal keys, and equal hashes. */
    @Test
    void shouldAgreeWithKeys() {
        PayloadFormat format = Formats.parse("struct:a:i64?,b:u8,c:utf8?,d:bytes,e:f64");
        for (List<String> fields : List.of(
                List.of("a"),
                List.of("a", "b"),
                List.of("c"),
                List.of("d", "b"),
                List.of("e"),
                List.of("b", "c", "a"),
                List.of("d", "c"))) {
            KeyWords of = KeyWords.of(format, fields, null, random.nextLong());
            assertNotNull(of);
            KeyEncoder encoder = new KeyEncoder(format, fields, null, 0);
            Map<List<Long>, String> keys = new HashMap<>();
            int known = 0;
            for (int round = 0; round < 300; round++) {
                RecordBatch batch = batch();
                long have = of.read(batch);
                for (int i = 0; i < batch.count(); i++) {
                    if ((have >>> i & 1) == 0) {
                        continue;
                    }
                    known++;
                    List<Long> words = new ArrayList<>();
                    IntStream.range(i * of.width(), (i + 1) * of.width()).forEach(at -> words.add(of.words()[at]));
                    int length = encoder.encode(batch.buffer(), batch.offset(i), batch.length(i));
                    byte[] key = new byte[length];
                    encoder.key().getBytes(0, key);
                    String named = Arrays.toString(key) + " hash " + of.hash(i);
                    String before = keys.put(words, named);
                    assertTrue(before == null || before.equals(named), () -> fields + ": " + before + ", " + named);
                }
            }
            assertTrue(known > 1_000, fields + ": " + known);
        }
    }

    /** A value that can't be read is not the same as none. */
    @Test
    void shouldNotStandForWhatCannotBeRead() {
        FailingLookup lookup = new FailingLookup();
        PayloadFormat format = new ReferringFormat();
        KeyWords of = KeyWords.of(format, List.of("v"), lookup, HASH_SEED);
        assertNotNull(of);
        UnsafeBuffer payloads = new UnsafeBuffer(new byte[] {0, 1, 0});
        RecordBatch batch = new RecordBatch();
        batch.begin(0, 0);
        batch.add(payloads, 0, 1);
        batch.add(payloads, 2, 1);
        assertEquals(3, of.read(batch));
        batch.add(payloads, 1, 1);
        assertEquals(0, of.read(batch));
        assertEquals(1, lookup.failures());
        assertEquals(0, lookup.from.get(0));
    }

    /** Finds nothing, and fails at address 1. */
    private static final class FailingLookup extends LookupWithoutPayloads {
        private final List<Long> from = new ArrayList<>();

        @Override
        public void from(long recordAddress) {
            from.add(recordAddress);
        }

        @Override
        public boolean find(long address, String format) {
            failures += address;
            return false;
        }
    }

    /** One field, kept in the record whose address is the first byte. */
    private static final class ReferringFormat implements PayloadFormat {
        @Override
        public String name() {
            return "referring";
        }

        @Override
        public String text() {
            return "referring";
        }

        @Override
        public List<Field> fields() {
            return List.of();
        }

        @Override
        public FieldReader field(String name) {
            return (buffer, offset, length, into) -> {
                Objects.requireNonNull(into.lookup()).find(buffer.getByte(offset), "bytes");
                into.setAbsent();
            };
        }
    }

    private RecordBatch batch() {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 14]);
        RecordBatch batch = new RecordBatch();
        batch.begin(0, 0);
        int at = 0;
        int count = 1 + random.nextInt(RecordBatch.RECORDS_MAX);
        for (int i = 0; i < count; i++) {
            int begin = at;
            buffer.putByte(at++, (byte) random.nextInt(4)); // which of the optional fields are there
            buffer.putLong(at, random.nextInt(3) - 1L);
            buffer.putByte(at + 8, (byte) random.nextInt(2));
            buffer.putDouble(at + 9, List.of(0.0, -0.0, 1.5, Double.NaN).get(random.nextInt(4)));
            at += 17;
            for (int text = 0; text < 2; text++) {
                int length = random.nextInt(40);
                buffer.putByte(at++, (byte) length);
                int kinds = random.nextInt(2);
                for (int j = 0; j < length; j++) {
                    buffer.putByte(at++, (byte) (kinds * 'b'));
                }
            }
            boolean cut = random.nextInt(20) == 0;
            batch.add(buffer, begin, cut ? random.nextInt(at - begin) : at - begin);
        }
        return batch;
    }
}
