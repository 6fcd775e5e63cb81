package dev.loom.query.plan;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.value.KeyReader;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Whatever the type of a field and of an index over it: a value that meets a comparison has one of the possible keys, and one
 * with a certain key meets it.
 */
class LiteralKeysTest {
    private static final List<String> INTEGERS = List.of(
            "0",
            "1",
            "-1",
            "127",
            "16777216",
            "16777217",
            "9007199254740991",
            "9007199254740992",
            "9007199254740993",
            "9007199254740994",
            "-9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854774784",
            "18446744073709551615");
    private static final List<String> BEYOND =
            List.of("9223372036854775808", "-9223372036854775809", "18446744073709551616");
    private static final List<String> DECIMALS = List.of(
            "0.1",
            "0.5",
            "-0.5",
            "1.0",
            "1e23",
            "16777217.0",
            "9007199254740993.0",
            "9223372036854775807.5",
            "1e308",
            "1e309",
            "-1e309",
            "3.5e38",
            "1e-400",
            "4.9e-324",
            "0.30000001");

    private static final List<Operator> OPERATORS = List.of(Operator.values());

    private final Random random = new Random(11);
    private int met;

    @Test
    void shouldHoldTheKeysOfAllValuesThatMeetAComparison() {
        for (Field.Type field : Field.Type.values()) {
            if (!field.isVariableLength()) {
                StructFormat format = Formats.struct("x:" + field.text());
                for (ValueType type : ValueType.values()) {
                    for (int i = 0; i < 4_000; i++) {
                        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
                        check(format, field, type, payload, write(format, field, payload));
                    }
                }
            }
        }
        PayloadFormat json = Formats.parse("json");
        for (ValueType type : ValueType.values()) {
            for (int i = 0; i < 4_000; i++) {
                byte[] text = ("{\"x\":" + (random.nextInt(10) == 0 ? "true" : number()) + "}")
                        .getBytes(StandardCharsets.UTF_8);
                check(json, null, type, new UnsafeBuffer(text), text.length);
            }
        }
        assertTrue(met > 5_000, () -> "met=" + met);
    }

    private String number() {
        return switch (random.nextInt(3)) {
            case 0 -> DECIMALS.get(random.nextInt(DECIMALS.size()));
            case 1 -> BEYOND.get(random.nextInt(BEYOND.size()));
            default -> INTEGERS.get(random.nextInt(INTEGERS.size()));
        };
    }

    /** A value that the field can hold; returns the payload's length. */
    private int write(StructFormat format, Field.Type field, UnsafeBuffer payload) {
        StructWriter writer = new StructWriter(format);
        writer.begin(payload, 0);
        switch (field) {
            case BOOL -> writer.setBoolean(0, random.nextBoolean());
            case F32 -> writer.setDouble(0, Float.parseFloat(number()));
            case F64 -> writer.setDouble(0, random.nextInt(20) == 0 ? Double.NaN : Double.parseDouble(number()));
            case U64 ->
                writer.setUnsigned(0, new BigDecimal(number()).toBigInteger().longValue());
            default -> {
                long bits = new BigDecimal(INTEGERS.get(random.nextInt(INTEGERS.size())))
                        .toBigInteger()
                        .longValue();
                writer.setLong(0, fit(field, bits));
            }
        }
        return writer.finish();
    }

    private static long fit(Field.Type field, long bits) {
        return switch (field) {
            case I8 -> (byte) bits;
            case U8 -> bits & 0xFF;
            case I16 -> (short) bits;
            case U16 -> bits & 0xFFFF;
            case I32 -> (int) bits;
            case U32 -> bits & 0xFFFF_FFFFL;
            default -> bits;
        };
    }

    private void check(
            PayloadFormat format, Field.@Nullable Type field, ValueType type, UnsafeBuffer payload, int length) {
        Operator operator = OPERATORS.get(random.nextInt(OPERATORS.size()));
        boolean bool = field == Field.Type.BOOL || (field == null && random.nextInt(5) == 0);
        Literal literal;
        LiteralKeys keys;
        if (bool) {
            operator = random.nextBoolean() ? Operator.EQUAL : Operator.NOT_EQUAL;
            boolean value = random.nextBoolean();
            literal = new Literal.Bool(value);
            keys = LiteralKeys.of(value == (operator == Operator.EQUAL), field, type);
        } else {
            operator = operator == Operator.NOT_EQUAL ? Operator.EQUAL : operator;
            String text = number();
            boolean integral = text.matches("-?\\d+");
            Literal.Numeric number = new Literal.Numeric(new BigDecimal(text), integral);
            literal = number;
            keys = LiteralKeys.of(number, operator, field, type);
        }
        Where expression = new Where.Comparison("x", operator, literal);
        KeyReader reader = new KeyReader(IndexFunction.field(format, "x", type, ValueUnit.NONE));
        boolean meets = meets(expression, format, payload, length);
        boolean valued = reader.read(payload, 0, length);
        if (reader.unfit() > 0) {
            return; // then no chunk with it is in the index
        }
        String what = "field=" + field + ", type=" + type + ", expression=" + expression + ", keys=" + keys + ", key="
                + (valued ? reader.key() : "none");
        assertTrue(!meets || (valued && keys.possible().contains(reader.key())), what);
        assertTrue(!valued || !keys.certain().contains(reader.key()) || meets, what);
        met += meets ? 1 : 0;
    }

    private static boolean meets(Where expression, PayloadFormat format, UnsafeBuffer payload, int length) {
        Where.Predicate predicate;
        try {
            predicate = expression.bind(format);
        } catch (IllegalArgumentException e) {
            // what is refused holds of no value
            assertTrue(e.getMessage().startsWith("comparison gives the same result for every value"), e.getMessage());
            return false;
        }
        return predicate.test(payload, 0, length);
    }

    /** Where all is exact, a chunk is not read for the bound alone. */
    @Test
    void shouldLeaveOutTheBoundWhereItCanBeTold() {
        Literal.Numeric fifty = new Literal.Numeric(BigDecimal.valueOf(50), true);
        for (ValueType type : ValueType.values()) {
            KeyRange above = KeyRange.of(ValueRange.above(50), type);
            assertTrue(LiteralKeys.of(fifty, Operator.GREATER, Field.Type.U32, type)
                    .equals(new LiteralKeys(above, above)));
            KeyRange below = KeyRange.of(ValueRange.below(50), type);
            assertTrue(
                    LiteralKeys.of(fifty, Operator.LESS, Field.Type.U32, type).equals(new LiteralKeys(below, below)));
        }
    }
}
