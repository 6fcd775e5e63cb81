package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Random structs against an encoder written from the format's description, with {@link ByteBuffer} and streams. Values
 * are Long, BigInteger (u64), Double, Float, Boolean, String, byte[], or null for absent.
 */
class StructRandomTest {
    private static final int MARGIN = 9;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeEach
    void printSeed() {
        System.out.println("StructRandomTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldWriteAndReadAsTheOracleDoes() {
        for (int round = 0; round < 3_000; round++) {
            List<Field> fields = randomFields();
            StructFormat format = Formats.struct(fields);
            List<@Nullable Object> values = randomValues(fields);
            byte[] expected = encode(fields, values);
            UnsafeBuffer buffer = surrounded(expected.length);
            assertEquals(hex(expected), hex(write(format, values, buffer)), () -> "seed=" + seed + " " + format);
            assertEquals(render(values), readAll(format, buffer, expected.length), () -> "seed=" + seed + " " + format);
        }
    }

    @Test
    void shouldReadValueOrNothingWhenPayloadIsCutShort() {
        for (int round = 0; round < 300; round++) {
            List<Field> fields = randomFields();
            StructFormat format = Formats.struct(fields);
            List<@Nullable Object> values = randomValues(fields);
            byte[] payload = encode(fields, values);
            UnsafeBuffer buffer = surrounded(payload.length);
            buffer.putBytes(MARGIN, payload);
            List<String> whole = render(values);
            for (int length = 0; length <= payload.length; length++) {
                List<String> cut = readAll(format, buffer, length);
                for (int i = 0; i < cut.size(); i++) {
                    if (!cut.get(i).equals("ABSENT")) {
                        assertEquals(whole.get(i), cut.get(i), "seed=" + seed + " " + format + " length=" + length);
                    }
                }
            }
        }
    }

    @Test
    void shouldNotLookOutsidePayloadWhateverItsBytesAre() {
        for (int round = 0; round < 3_000; round++) {
            StructFormat format = Formats.struct(randomFields());
            byte[] garbage = new byte[random.nextInt(80)];
            random.nextBytes(garbage);
            if (random.nextBoolean()) { // short lengths reach further
                for (int i = 0; i < garbage.length; i++) {
                    garbage[i] = (byte) (garbage[i] & 0x83);
                }
            }
            UnsafeBuffer alone = new UnsafeBuffer(garbage);
            UnsafeBuffer within = surrounded(garbage.length);
            within.putBytes(MARGIN, garbage);
            List<String> expected = new ArrayList<>();
            format.forEachField(alone, 0, garbage.length, new FieldValue(), (name, v) -> expected.add(describe(v)));
            assertEquals(expected, readAll(format, within, garbage.length), () -> "seed=" + seed + " " + format);
        }
    }

    @Test
    void shouldSayWhereFixedFieldsAre() {
        for (int round = 0; round < 1_000; round++) {
            List<Field> fields = randomFields();
            StructFormat format = Formats.struct(fields);
            List<@Nullable Object> values = randomValues(fields);
            UnsafeBuffer payload = new UnsafeBuffer(encode(fields, values));
            for (int i = 0; i < fields.size(); i++) {
                PayloadFormat.FixedField fixed = format.fixedField(fields.get(i).name());
                Field.Type type = fields.get(i).type();
                assertEquals(type.isVariableLength(), fixed == null);
                if (fixed != null) {
                    boolean present = fixed.presenceMask() == 0
                            || (payload.getByte(fixed.presenceOffset()) & fixed.presenceMask()) != 0;
                    assertEquals(type, fixed.type());
                    assertEquals(values.get(i) != null, present, () -> "seed=" + seed);
                    if (values.get(i) instanceof Long value && type == Field.Type.I64) {
                        assertEquals(value, payload.getLong(fixed.offset(), ByteOrder.LITTLE_ENDIAN));
                    } else if (values.get(i) instanceof Double value) {
                        assertEquals(value, payload.getDouble(fixed.offset(), ByteOrder.LITTLE_ENDIAN));
                    }
                }
            }
        }
        assertNull(Formats.parse("struct:a:u8").fixedField("b"));
        assertNull(Formats.json().fixedField("a"));
    }

    private UnsafeBuffer surrounded(int length) {
        byte[] bytes = new byte[length + 2 * MARGIN];
        random.nextBytes(bytes);
        return new UnsafeBuffer(bytes);
    }

    private List<Field> randomFields() {
        int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 70 : 12);
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Field.Type[] types = EnumSet.complementOf(EnumSet.of(Field.Type.ANY, Field.Type.JSON))
                    .toArray(Field.Type[]::new);
            fields.add(new Field("f" + i, types[random.nextInt(types.length)], random.nextInt(3) == 0));
        }
        return fields;
    }

    private List<@Nullable Object> randomValues(List<Field> fields) {
        List<@Nullable Object> values = new ArrayList<>();
        for (Field field : fields) {
            values.add(field.optional() && random.nextInt(3) == 0 ? null : randomValue(field.type()));
        }
        return values;
    }

    private Object randomValue(Field.Type type) {
        long bits = random.nextLong() >>> random.nextInt(64);
        return switch (type) {
            case I8 -> (long) (byte) bits;
            case I16 -> (long) (short) bits;
            case I32 -> (long) (int) bits;
            case U8 -> bits & 0xFF;
            case U16 -> bits & 0xFFFF;
            case U32 -> bits & 0xFFFFFFFFL;
            case I64 -> random.nextInt(8) == 0 ? -1L - random.nextInt(3) : bits;
            case U64 -> new BigInteger(64, random).shiftRight(random.nextInt(64));
            case F32 -> Float.intBitsToFloat(Float.floatToIntBits(Float.intBitsToFloat((int) bits))); // one NaN
            case F64 -> random.nextInt(8) == 0 ? Double.NaN : Double.longBitsToDouble(random.nextLong());
            case BOOL -> random.nextBoolean();
            case UTF8 -> randomText();
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(10)];
                random.nextBytes(bytes);
                yield bytes;
            }
            case ANY, JSON -> throw new IllegalArgumentException("not for structs");
        };
    }

    private String randomText() {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(8) == 0 ? random.nextInt(300) : random.nextInt(8);
        for (int i = 0; i < length; i++) {
            int codePoint = random.nextInt(1 << (4 + random.nextInt(17)));
            if (Character.isValidCodePoint(codePoint) && (codePoint < 0xD800 || codePoint > 0xDFFF)) {
                text.appendCodePoint(codePoint);
            }
        }
        return text.toString();
    }

    private byte[] write(StructFormat format, List<@Nullable Object> values, UnsafeBuffer buffer) {
        StructWriter writer = new StructWriter(format);
        writer.begin(buffer, MARGIN, buffer.capacity() - 2 * MARGIN);
        for (int i = 0; i < values.size(); i++) {
            Object value = values.get(i);
            if (value instanceof Long l) {
                writer.setLong(i, l);
            } else if (value instanceof BigInteger u) {
                writer.setUnsigned(i, u.longValue());
            } else if (value instanceof Number n) {
                writer.setDouble(i, n.doubleValue());
            } else if (value instanceof Boolean b) {
                writer.setBoolean(i, b);
            } else if (value instanceof String s) {
                writer.setUtf8(i, s);
            } else if (value instanceof byte[] b) {
                writer.setBytes(i, new UnsafeBuffer(b), 0, b.length);
            }
        }
        byte[] written = new byte[writer.finish()];
        buffer.getBytes(MARGIN, written);
        return written;
    }

    /** Reads each field by its reader, and all by the walk, which must agree. */
    private List<String> readAll(StructFormat format, UnsafeBuffer buffer, int length) {
        List<String> walked = new ArrayList<>();
        format.forEachField(buffer, MARGIN, length, new FieldValue(), (name, v) -> walked.add(describe(v)));
        List<String> single = new ArrayList<>();
        FieldValue value = new FieldValue();
        for (Field field : format.fields()) {
            FieldReader reader = format.field(field.name());
            value.setInteger(random.nextLong());
            if (reader != null) {
                reader.read(buffer, MARGIN, length, value);
            }
            single.add(describe(value));
        }
        assertEquals(walked, single, () -> "seed=" + seed + " " + format);
        return single;
    }

    private static String describe(FieldValue value) {
        if (value.kind() == FieldValue.Kind.TEXT || value.kind() == FieldValue.Kind.BYTES) {
            byte[] bytes = new byte[value.length()];
            value.bytes().getBytes(value.offset(), bytes);
            return value.kind() + " " + hex(bytes);
        }
        return value.kind() + (value.kind() == FieldValue.Kind.ABSENT ? "" : " " + value.text());
    }

    private List<String> render(List<@Nullable Object> values) {
        return values.stream().map(value -> renderOne(value)).toList();
    }

    private static String renderOne(@Nullable Object value) {
        if (value == null) {
            return "ABSENT";
        }
        if (value instanceof Boolean b) {
            return "BOOLEAN " + b;
        }
        if (value instanceof String s) {
            return "TEXT " + hex(s.getBytes(StandardCharsets.UTF_8));
        }
        if (value instanceof byte[] b) {
            return "BYTES " + hex(b);
        }
        if (value instanceof BigInteger u) {
            return (u.bitLength() < 64 ? "INTEGER " : "UNSIGNED ") + u;
        }
        return value instanceof Long ? "INTEGER " + value : "DOUBLE " + ((Number) value).doubleValue();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    /** The format as its description has it. */
    private static byte[] encode(List<Field> fields, List<@Nullable Object> values) {
        ByteArrayOutputStream fixed = new ByteArrayOutputStream();
        ByteArrayOutputStream variable = new ByteArrayOutputStream();
        StringBuilder presence = new StringBuilder(); // a character a bit, the first optional field's last
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            Object value = values.get(i);
            if (field.optional()) {
                presence.insert(0, value == null ? '0' : '1');
            }
            switch (field.type()) {
                case UTF8 ->
                    encodeVariable(
                            value == null ? new byte[0] : ((String) value).getBytes(StandardCharsets.UTF_8), variable);
                case BYTES -> encodeVariable(value == null ? new byte[0] : (byte[]) value, variable);
                default -> fixed.writeBytes(encodeFixed(field.type(), value));
            }
        }
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        while (presence.length() % 8 != 0) {
            presence.insert(0, '0');
        }
        for (int end = presence.length(); end > 0; end -= 8) {
            payload.write(Integer.parseInt(presence.substring(end - 8, end), 2));
        }
        payload.writeBytes(fixed.toByteArray());
        payload.writeBytes(variable.toByteArray());
        return payload.toByteArray();
    }

    private static byte[] encodeFixed(Field.Type type, @Nullable Object value) {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        if (value instanceof Float f) {
            bytes.putFloat(f);
        } else if (value instanceof Double d) {
            bytes.putDouble(d);
        } else if (value instanceof Boolean b) {
            bytes.put((byte) (b ? 1 : 0));
        } else if (value instanceof Long || value instanceof BigInteger) {
            bytes.putLong(((Number) value).longValue());
        }
        int length = Integer.parseInt("0" + type.text().replaceAll("[a-z]", "")) / 8;
        return Arrays.copyOf(bytes.array(), Math.max(1, length));
    }

    private static void encodeVariable(byte[] bytes, ByteArrayOutputStream into) {
        int rest = bytes.length;
        while (rest > 127) {
            into.write(128 + rest % 128);
            rest /= 128;
        }
        into.write(rest);
        into.writeBytes(bytes);
    }
}
