package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.tools.ToolProvider;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Record classes with random components, compiled by the test: their payloads against an encoder written from the format's
 * description, and their records read back, also in formats with the same fields in another order and with other fields.
 */
final class StructCodecRandomTest {
    private static final int CLASSES = 60;
    private static final int RECORDS = 40;
    private static final int START = 5;

    /** Java type, annotated field type or empty, length. */
    private static final String[][] KINDS = {
        {"boolean", "", "1"},
        {"byte", "", "1"},
        {"short", "", "2"},
        {"int", "", "4"},
        {"long", "", "8"},
        {"float", "", "4"},
        {"double", "", "8"},
        {"String", "", "0"},
        {"byte[]", "", "0"},
        {"short", "U8", "1"},
        {"int", "U8", "1"},
        {"long", "U8", "1"},
        {"int", "U16", "2"},
        {"long", "U16", "2"},
        {"long", "U32", "4"},
        {"long", "U64", "8"},
        {"short", "I8", "1"},
        {"int", "I16", "2"},
        {"long", "I32", "4"},
        {"double", "F32", "4"}
    };

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** A component: a Java type, the field type that its annotation gives, the length of a fixed-size value. */
    private record Part(String name, String type, String fieldType, int length, boolean optional) {
        String field() {
            String text = fieldType.isEmpty()
                    ? switch (type) {
                        case "boolean" -> "bool";
                        case "byte" -> "i8";
                        case "short" -> "i16";
                        case "int" -> "i32";
                        case "long" -> "i64";
                        case "float" -> "f32";
                        case "double" -> "f64";
                        case "String" -> "utf8";
                        default -> "bytes";
                    }
                    : fieldType.toLowerCase(Locale.ROOT);
            return name + ':' + text + (optional ? "?" : "");
        }

        String source() {
            boolean reference = type.equals("String") || type.equals("byte[]");
            String java = !optional || reference
                    ? type
                    : type.equals("int")
                            ? "Integer"
                            : type.substring(0, 1).toUpperCase(Locale.ROOT) + type.substring(1);
            List<String> attributes = new ArrayList<>();
            if (!fieldType.isEmpty()) {
                attributes.add("type = dev.loom.format.Field.Type." + fieldType);
            }
            if (optional && reference) {
                attributes.add("optional = true");
            }
            String annotation =
                    attributes.isEmpty() ? "" : "@dev.loom.format.StructField(" + String.join(", ", attributes) + ") ";
            return annotation + java + ' ' + name;
        }
    }

    @BeforeEach
    void printSeed() {
        System.out.println("StructCodecRandomTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldWriteAndReadAsTheFormatSays(@TempDir Path directory) throws Exception {
        List<List<Part>> shapes =
                IntStream.range(0, CLASSES).mapToObj(i -> randomParts()).toList();
        try (URLClassLoader loader = compile(directory, shapes)) {
            for (int i = 0; i < CLASSES; i++) {
                List<Part> parts = shapes.get(i);
                check(StructCodec.of(loader.loadClass("Shapes$R" + i).asSubclass(Record.class)), parts);
            }
        }
    }

    @Test
    void shouldTakeAsManyComponentsAsItSays(@TempDir Path directory) throws Exception {
        List<Part> most = new ArrayList<>();
        for (int slots = 0; slots < RecordShape.SLOTS_MAX; slots += 2) {
            most.add(new Part("c" + slots, "long", "", 8, false));
        }
        List<Part> more = new ArrayList<>(most);
        more.add(new Part("last", "int", "", 4, true));
        try (URLClassLoader loader = compile(directory, List.of(most, more))) {
            check(StructCodec.of(loader.loadClass("Shapes$R0").asSubclass(Record.class)), most);
            Class<? extends Record> tooLarge = loader.loadClass("Shapes$R1").asSubclass(Record.class);
            assertEquals(
                    "record class has too many components: class=Shapes$R1, slots=241, max=240, a long or a double takes"
                            + " two",
                    assertThrows(IllegalArgumentException.class, () -> StructCodec.of(tooLarge))
                            .getMessage());
        }
    }

    private <R extends Record> void check(StructCodec<R> codec, List<Part> parts) throws Exception {
        assertEquals(format(parts), codec.format().text(), this::seed);
        List<Part> others = new ArrayList<>(parts);
        others.add(new Part("more", "long", "", 8, true));
        others.add(new Part("text", "String", "", 0, true));
        Collections.shuffle(others, random);
        StructCodec<R> elsewhere = codec.forFormat(Formats.parse(format(others)));
        for (int i = 0; i < RECORDS; i++) {
            List<@Nullable Object> values = new ArrayList<>();
            parts.forEach(part -> values.add(part.optional && random.nextInt(3) == 0 ? null : randomValue(part)));
            R record = make(codec.type(), values);
            checkRecord(codec, parts, record, values);
            List<@Nullable Object> shuffled = new ArrayList<>();
            others.forEach(part -> shuffled.add(parts.contains(part) ? values.get(parts.indexOf(part)) : null));
            checkRecord(elsewhere, others, record, shuffled);
        }
    }

    private <R extends Record> void checkRecord(
            StructCodec<R> codec, List<Part> parts, R record, List<@Nullable Object> values) throws Exception {
        byte[] expected = encode(parts, values);
        byte[] room = new byte[expected.length + 2 * START];
        random.nextBytes(room);
        UnsafeBuffer buffer = new UnsafeBuffer(room.clone());
        assertEquals(expected.length, codec.length(record), this::seed);
        assertEquals(expected.length, codec.write(record, buffer, START, expected.length), this::seed);
        System.arraycopy(expected, 0, room, START, expected.length);
        assertEquals(hex(room), hex(buffer.byteArray()), () -> seed() + ' ' + codec);
        R back = codec.read(buffer, START, expected.length + random.nextInt(START));
        for (RecordComponent component : codec.type().getRecordComponents()) {
            component.getAccessor().setAccessible(true);
            assertTrue(
                    equal(
                            component.getAccessor().invoke(record),
                            component.getAccessor().invoke(back)),
                    () -> seed() + ' ' + component + ' ' + codec);
        }
        List<String> read = new ArrayList<>();
        codec.format()
                .forEachField(
                        buffer,
                        START,
                        expected.length,
                        new FieldValue(),
                        (name, value) -> read.add(name + value.kind()));
        for (int i = 0; i < parts.size(); i++) {
            assertEquals(values.get(i) == null, read.get(i).equals(parts.get(i).name + "ABSENT"), this::seed);
        }
        checkCut(codec, buffer, expected.length);
    }

    /** A payload that was cut short or overwritten is a record or is refused, and nothing else happens. */
    private <R extends Record> void checkCut(StructCodec<R> codec, UnsafeBuffer buffer, int length) {
        UnsafeBuffer cut =
                new UnsafeBuffer(Arrays.copyOfRange(buffer.byteArray(), START, START + random.nextInt(length + 1)));
        if (cut.capacity() > 0 && random.nextBoolean()) {
            cut.putByte(random.nextInt(cut.capacity()), (byte) random.nextInt());
        }
        try {
            codec.read(cut, 0, cut.capacity());
        } catch (IllegalArgumentException e) {
            assertTrue(e.getMessage().startsWith("payload is "), e.getMessage());
        }
    }

    private static boolean equal(@Nullable Object a, @Nullable Object b) {
        return a instanceof byte[] bytes
                ? b instanceof byte[] others && Arrays.equals(bytes, others)
                : Objects.equals(a, b);
    }

    private static <R extends Record> R make(Class<R> type, List<@Nullable Object> values) throws Exception {
        var constructor = type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new));
        constructor.setAccessible(true);
        return constructor.newInstance(values.toArray());
    }

    private URLClassLoader compile(Path directory, List<List<Part>> shapes) throws Exception {
        String records = IntStream.range(0, shapes.size())
                .mapToObj(i -> "record R" + i
                        + shapes.get(i).stream().map(Part::source).collect(Collectors.joining(", ", "(", ") {}\n")))
                .collect(Collectors.joining());
        Path source = directory.resolve("Shapes.java");
        Files.writeString(source, "final class Shapes {\n" + records + "}\n");
        Path core = Path.of(StructField.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", core.toString(), source.toString());
        assertEquals(0, result, this::seed);
        return new URLClassLoader(
                new URL[] {directory.toUri().toURL()}, getClass().getClassLoader());
    }

    private List<Part> randomParts() {
        int count = 1 + random.nextInt(random.nextInt(8) == 0 ? 110 : 10);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String[] kind = KINDS[random.nextInt(KINDS.length)];
            parts.add(new Part("c" + i, kind[0], kind[1], Integer.parseInt(kind[2]), random.nextInt(3) == 0));
        }
        return parts;
    }

    private Object randomValue(Part part) {
        long bits = random.nextInt(4) == 0 ? -random.nextInt(3) : random.nextLong() >>> random.nextInt(64);
        long value = switch (part.fieldType) {
            case "U8" -> bits & 0xFF;
            case "U16" -> bits & 0xFFFF;
            case "U32" -> bits & 0xFFFF_FFFFL;
            case "I8" -> (byte) bits;
            case "I16" -> (short) bits;
            case "I32" -> (int) bits;
            default -> bits;
        };
        return switch (part.type) {
            case "boolean" -> random.nextBoolean();
            case "byte" -> (byte) value;
            case "short" -> (short) value;
            case "int" -> (int) value;
            case "long" -> value;
            case "float" -> random.nextInt(8) == 0 ? Float.NaN : random.nextFloat() * 1e30f;
            case "double" ->
                part.fieldType.isEmpty()
                        ? Math.scalb(random.nextDouble(), random.nextInt(900))
                        : (double) random.nextFloat();
            case "String" ->
                random.nextInt(3) == 0 ? "é😀".repeat(random.nextInt(60)) : "x".repeat(random.nextInt(200));
            default -> {
                byte[] bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                yield bytes;
            }
        };
    }

    private static String format(List<Part> parts) {
        return parts.stream().map(Part::field).collect(Collectors.joining(",", "struct:", ""));
    }

    /** The payload as {@code docs/format-payloads.md} has it. */
    private static byte[] encode(List<Part> parts, List<@Nullable Object> values) {
        ByteArrayOutputStream fixed = new ByteArrayOutputStream();
        ByteArrayOutputStream variable = new ByteArrayOutputStream();
        byte[] presence = new byte[(int) (parts.stream().filter(Part::optional).count() + 7) / 8];
        int optionals = 0;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            Object value = values.get(i);
            if (part.optional) {
                presence[optionals / 8] |= (byte) ((value == null ? 0 : 1) << optionals % 8);
                optionals++;
            }
            if (part.length == 0) {
                byte[] bytes = value instanceof String text
                        ? text.getBytes(StandardCharsets.UTF_8)
                        : value instanceof byte[] given ? given : new byte[0];
                int rest = bytes.length;
                for (; rest > 127; rest /= 128) {
                    variable.write(128 + rest % 128);
                }
                variable.write(rest);
                variable.writeBytes(bytes);
            } else {
                fixed.writeBytes(Arrays.copyOf(eightBytes(part, value), part.length));
            }
        }
        byte[] payload = new byte[presence.length + fixed.size() + variable.size()];
        return ByteBuffer.wrap(payload)
                .put(presence)
                .put(fixed.toByteArray())
                .put(variable.toByteArray())
                .array();
    }

    private static byte[] eightBytes(Part part, @Nullable Object value) {
        ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        if (value instanceof Number number && part.type.matches("float|double") && part.length == 4) {
            bytes.putFloat(number.floatValue());
        } else if (value instanceof Double number) {
            bytes.putDouble(number);
        } else if (value instanceof Boolean flag) {
            bytes.put((byte) (flag ? 1 : 0));
        } else if (value instanceof Number number) {
            bytes.putLong(number.longValue());
        }
        return bytes.array();
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private String seed() {
        return "seed=" + seed;
    }
}
