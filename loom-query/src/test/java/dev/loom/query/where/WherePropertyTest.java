package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Random expressions over random records, against {@link WhereOracle}. */
class WherePropertyTest {
    private static final int EXPRESSIONS = Integer.getInteger("loom.test.where.expressions", 2_000);
    private static final int ROWS = 10;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final WhereGenerator generator = new WhereGenerator(random);

    @BeforeEach
    void printSeed() {
        System.out.println("WherePropertyTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldParseWhatIsWrittenInWhateverWay() {
        for (int i = 0; i < EXPRESSIONS; i++) {
            Where expression = generator.expression(4, true);
            String text = generator.write(expression);
            if (text.length() <= Where.LENGTH_MAX && expression.toString().length() <= Where.LENGTH_MAX) {
                assertEquals(expression, Where.parse(text), () -> "seed=" + seed + " " + text);
                assertEquals(expression, Where.parse(expression.toString()), () -> "seed=" + seed + " " + expression);
            }
        }
    }

    @Test
    void shouldHoldForStructsAsTheOracleSays() {
        List<Field> fields = WhereGenerator.FIELDS.entrySet().stream()
                .map(entry -> new Field(entry.getKey(), entry.getValue(), true))
                .toList();
        StructFormat format = Formats.struct(fields);
        StructWriter writer = new StructWriter(format);
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        int held = 0;
        for (int i = 0; i < EXPRESSIONS; i++) {
            Where expression = possible(format);
            Where.Predicate predicate = expression.bind(format);
            for (int j = 0; j < ROWS; j++) {
                Map<String, Object> row = row(fields);
                writer.begin(buffer, j);
                row.forEach((name, value) -> set(writer, format.fieldIndex(name), value));
                int length = writer.finish();
                boolean expected = WhereOracle.holds(expression, row);
                held += expected ? 1 : 0;
                assertEquals(
                        expected,
                        predicate.test(buffer, j, length),
                        () -> "seed=" + seed + " " + expression + " " + row);
            }
        }
        assertTrue(held > EXPRESSIONS && held < (ROWS - 1) * EXPRESSIONS, "held=" + held);
    }

    @Test
    void shouldHoldForJsonAsTheOracleSays() {
        int held = 0;
        for (int i = 0; i < EXPRESSIONS; i++) {
            Where expression = generator.expression(3, true);
            Where.Predicate predicate = expression.bind(Formats.json());
            for (int j = 0; j < ROWS; j++) {
                Map<String, Object> row = jsonRow();
                byte[] document = document(row).getBytes(StandardCharsets.UTF_8);
                boolean expected = WhereOracle.holds(expression, row);
                held += expected ? 1 : 0;
                assertEquals(
                        expected,
                        predicate.test(new UnsafeBuffer(document), 0, document.length),
                        () -> "seed=" + seed + " " + expression + " " + row);
            }
        }
        assertTrue(held > EXPRESSIONS && held < (ROWS - 1) * EXPRESSIONS, "held=" + held);
    }

    /** An expression, none of whose comparisons is of a number that its field can't hold; those are refused. */
    private Where possible(StructFormat format) {
        while (true) {
            Where expression = generator.expression(3, false);
            if (WhereOracle.canHold(expression, WhereGenerator.FIELDS)) {
                return expression;
            }
            assertThrows(
                    IllegalArgumentException.class,
                    () -> expression.bind(format),
                    () -> "seed=" + seed + " " + expression);
        }
    }

    private Map<String, Object> row(List<Field> fields) {
        Map<String, Object> row = new TreeMap<>();
        for (Field field : fields) {
            if (random.nextInt(4) > 0) {
                row.put(field.name(), generator.value(field.type()));
            }
        }
        return row;
    }

    /** Any field with any value that JSON has and that reads back as it is. */
    private Map<String, Object> jsonRow() {
        Map<String, Object> row = new TreeMap<>();
        Field.Type[] types = {Field.Type.I64, Field.Type.U64, Field.Type.F64, Field.Type.UTF8, Field.Type.BOOL};
        for (Map.Entry<String, Field.Type> field : WhereGenerator.FIELDS.entrySet()) {
            Field.Type declared = field.getValue();
            Field.Type type = random.nextBoolean() ? declared : types[random.nextInt(types.length)];
            Object value = generator.value(type);
            if (random.nextInt(4) == 0 || value instanceof byte[]) {
                continue;
            }
            row.put(field.getKey(), value instanceof Float f ? (Object) f.doubleValue() : value);
        }
        row.values().removeIf(value -> value instanceof Double d && !Double.isFinite(d));
        return row;
    }

    private String document(Map<String, Object> row) {
        StringBuilder text = new StringBuilder("{\"unused\":[{}]");
        row.forEach((name, value) -> {
            text.append(",\"").append(name).append("\":");
            if (value instanceof String s) {
                text.append('"');
                s.chars().forEach(c -> text.append(String.format("\\u%04x", c)));
                text.append('"');
            } else if (value instanceof Double d) {
                // every digit, and never a plain integer, which would be read as one
                text.append(d == 0 ? d.toString() : new BigDecimal(d) + "e0".repeat(isPlain(d) ? 1 : 0));
            } else {
                text.append(value);
            }
        });
        return text.append('}').toString();
    }

    private static boolean isPlain(double value) {
        return new BigDecimal(value).toString().indexOf('E') < 0;
    }

    private static void set(StructWriter writer, int field, Object value) {
        if (value instanceof BigInteger integer) {
            if (writer.format().fields().get(field).type() == Field.Type.U64) {
                writer.setUnsigned(field, integer.longValue());
            } else {
                writer.setLong(field, integer.longValueExact());
            }
        } else if (value instanceof Number number) {
            writer.setDouble(field, number.doubleValue());
        } else if (value instanceof Boolean bool) {
            writer.setBoolean(field, bool);
        } else if (value instanceof String text) {
            writer.setUtf8(field, text);
        } else {
            byte[] bytes = (byte[]) value;
            writer.setBytes(field, new UnsafeBuffer(bytes), 0, bytes.length);
        }
    }
}
