package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.format.UnknownFieldException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Comparisons of what is calculated from fields; {@link WherePropertyTest} has more of them. */
class FormulaTest {
    private static final StructFormat FORMAT = Formats.struct(
            "start:i64?,end:i64?,u:u64?,n:i32?,d:f64?,s:f32?,op:utf8?,wait_us:u32?,run_us:u32?,run_ms:u32?,size_bytes:u64?");

    @ParameterizedTest
    @CsvSource({
        "end - start > 5ms, start=1 end=5000002, true",
        "end - start > 5ms, start=1 end=5000001, false",
        "bytes / 1024 >= 10, bytes=10240, true",
        "bytes / 1024 >= 10, bytes=10239, false",
        "bytes / 1024 > 9, bytes=9217, true",
        "duration * 2 < 1s, duration=499999999, true",
        "duration * 2 < 1s, duration=500000000, false",
        // integers never wrap around
        "a + b > a, a=9223372036854775807 b=1, true",
        "a + b == 9223372036854775808, a=9223372036854775807 b=1, true",
        "a - b < 0, a=0 b=18446744073709551615, true",
        "a - b == -18446744073709551615, a=0 b=18446744073709551615, true",
        "-a == 9223372036854775808, a=-9223372036854775808, true",
        "a * b == 340282366920938463426481119284349108225, a=18446744073709551615 b=18446744073709551615, true",
        "a * b > 340282366920938463426481119284349108225, a=18446744073709551615 b=18446744073709551615, false",
        "a * a * a * a - 1 < a * a * a * a, a=18446744073709551615, true",
        "a * a * a * a / a / a / a == a, a=18446744073709551615, true",
        "a * a * a * a / a / a / a == d, a=9223372036854775808 d=9223372036854775808.0, true",
        "a * a * a * a / a / a / a < d, a=9223372036854775809 d=9223372036854775808.0, false",
        "1 / (a * a * a - a * a * a) == 1, a=18446744073709551615, false",
        "1 / (a / 1e400 - a / 1e400) != 1, a=5, false",
        "a / (1 - 1) != 1, a=5, false",
        "a * (1e400 / 3e400) * 3 == a, a=5, true",
        "a * a / a == a, a=-9223372036854775808, true",
        // a quotient keeps what is behind the point
        "a / b == 2.5, a=5 b=2, true",
        "a / b * b == a, a=1 b=3, true",
        "a / 3 + a / 3 + a / 3 == a, a=7, true",
        "a / 2 > 18014398509481984, a=36028797018963969, true",
        "a / b == 0.1, a=1 b=10, true",
        "a / b == d, a=1 b=10 d=0.1, true",
        "a / b < d, a=-7 b=-2 d=3.6, true",
        // barely above half way between two doubles
        "a / 3 == d, a=108086391056891917 d=36028797018963976.0, true",
        "a / -3 == d, a=108086391056891917 d=-36028797018963976.0, true",
        "a / 3 == d, a=108086391056891914 d=36028797018963968.0, true",
        "a / 7 + d == 2635249153387078801, a=18446744073709551609 d=0.0, false",
        "a / -2 == -3.5, a=7, true",
        // no number is the result of a division by 0
        "a / b > 0, a=1 b=0, false",
        "a / b != 0, a=1 b=0, false",
        "not a / b > 0, a=1 b=0, true",
        "a / d > 0, a=1 d=0.0, false",
        "a / d != 0, a=1 d=-0.0, false",
        "a / (b - c) == 1, a=1 b=3 c=3, false",
        // with a floating-point number, all of it is floating-point
        "a + d == 9007199254740992, a=9007199254740993 d=0.0, true",
        "a == d, a=9007199254740993 d=9007199254740992.0, false",
        "a > d, a=9007199254740993 d=9007199254740992.0, true",
        "a < d, a=18446744073709551615 d=18446744073709551616.0, true",
        "a > d, a=18446744073709551615 d=18446744073709549568.0, true",
        "a == d, a=18446744073709549568 d=18446744073709549568.0, true",
        "a > d, a=-9223372036854775808 d=-9223372036854775808.0, false",
        "a == d, a=-9223372036854775808 d=-9223372036854775808.0, true",
        "a > d, a=-5 d=-5.5, true",
        "a < d, a=-5 d=-4.5, true",
        "d * 2 == 0.2, d=0.1, true",
        "d + 0.2 == 0.3, d=0.1, false",
        "d * 10 > d, d=1e308, true",
        "d * d == d * d, d=1e308, true",
        "d * d - d * d != 0, d=1e308, true",
        "d * d - d * d == 0, d=1e308, false",
        "a * a * a > d, a=18446744073709551615 d=6.277101735386679e57, true",
        "a / 4.9E-324 < d * 10, a=4294967295 d=1e308, true",
        "a / 4.9E-324 == d * 10, a=4294967295 d=1e308, false",
        "a / 4.9E-324 > d, a=4294967295 d=1e308, true",
        // decimals are exact among integers
        "a + 0.1 + 0.2 == a + 0.3, a=1, true",
        "a * 1.5 == 13510798882111489.5, a=9007199254740993, true",
        // anything else is no number
        "a + b == a, a=1, false",
        "a + b != a, a=1 b='x', false",
        "a + b != a, a=1 b=true, false",
        "a + b != a, a=1 b=null, false",
        "a + b != a, a=1 b=[2], false",
        "a == b, a='x' b='x', false",
        "a + 1 == 3, a=[2], false",
        "a + 1 between 2 and 3, a=2, true",
        "a + 1 not between 2 and 3, a=2, false",
        "'a + 1 in (2, 3)', a=2, true",
        "'a + 1 not in (2, 3)', a=2, false",
        "'a + 1 not in (2, 3)', b=2, false",
        "a between b and c, a=2 b=2 c=3, true",
        "a > b and a is not null and not c is null and op =~ 'G.T' and op !~ 'x', a=2 b=1 c=3 op='GET', true",
        "'op in (''GET'', ''SET'') and (a - b) * 2 in (2, 4) or op !~ ''E''', a=2 b=1 op='GET', true",
        "'a.b * 2 > 5', a.b=3, true",
    })
    void shouldCalculate(String expression, String values, boolean expected) {
        byte[] document = document(values).getBytes(StandardCharsets.UTF_8);
        Where.Predicate predicate = Where.parse(expression).bind(Formats.json());
        assertEquals(expected, predicate.test(new UnsafeBuffer(document), 0, document.length), () -> values);
    }

    @ParameterizedTest
    @CsvSource({
        "run_us - wait_us > 5ms, run_us - wait_us > 5000",
        "run_ms * 2 < 1s, run_ms < 500",
        "run_ms / 1000 < 1s, run_ms < 1000000",
        "run_us * 1000 + start > 5, run_us * 1000 + start > 5",
        "run_us + wait_us + 1ms > 5ms, run_us + wait_us + 1000 > 5000",
        "end - start > 5ms, end - start > 5000000",
        "size_bytes / run_ms > 5KiB, size_bytes / run_ms > 5120",
        "size_bytes / 1KiB >= 10, size_bytes >= 10240",
        "size_bytes > 2 * 1KiB, size_bytes > 2048",
        "run_us between 1ms and 2000, run_us >= 1000 and run_us <= 2000",
        "run_us not between 500 and 1ms, run_us < 500 or run_us > 1000",
        "run_ms between 0 and 1s, run_ms >= 0 and run_ms <= 1000",
        "size_bytes between 1000 and 1KiB, size_bytes >= 1000 and size_bytes <= 1024",
        "start between 1us and 1000, start >= 1000 and start <= 1000",
        "run_us - wait_us between 1ms and 2000, run_us - wait_us >= 1000 and run_us - wait_us <= 2000",
    })
    void shouldTakeTheUnitOfTheFields(String expression, String resolved) {
        assertEquals(resolved, Where.parse(expression).resolve(FORMAT).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "run_us + wait_us > 5KiB, 'units differ: left=us, right=By, in=run_us + wait_us > 5120B'",
        "run_us + run_ms > 5, 'units differ: left=us, right=ms, in=run_us + run_ms'",
        "run_us > run_ms, 'units differ: left=us, right=ms, in=run_us > run_ms'",
        "run_us - 5KiB > wait_us, 'units differ: left=us, right=By, in=run_us - 5120B'",
        "size_bytes - 5ms > 1, 'units differ: left=By, right=a time, in=size_bytes - 5000000ns'",
        "size_bytes > 5ms * 2, 'units differ: left=By, right=a time, in=size_bytes > 5000000ns * 2'",
        "run_us / run_ms > 5ms, 'fields have different units, so a number can''t have one: literal=5000000ns, units=[run_ms ms, run_us us]'",
        "run_us between 500 and 1us, 'between takes the lower number first: expression=run_us between 500 and 1000ns'",
        "run_us not between 2ms and 1, 'between takes the lower number first: expression=run_us not between 2000000ns and 1'",
        "run_us * 2 between 5 and 4us, 'between takes the lower number first: expression=run_us * 2 between 5 and 4000ns'",
        "size_bytes between 1 and 1ms, 'units differ: left=By, right=a time, in=size_bytes <= 1000000ns'",
        "op + 1 > 5, 'only numbers can be calculated with: field=op, type=utf8'",
        "op > start, 'only numbers can be calculated with: field=op, type=utf8'",
        "n > 2 * 5000000000, 'comparison gives the same result for every value: field=n, type=i32, values=integers from"
                + " -2147483648 to 2147483647, operator=>, literal=10000000000'",
    })
    void shouldRefuseWhatCannotBeMeant(String expression, String message) {
        IllegalArgumentException e = assertThrows(
                IllegalArgumentException.class, () -> Where.parse(expression).bind(FORMAT));
        assertEquals(message, e.getMessage());
    }

    @Test
    void shouldNameTheFieldsWhenOneIsUnknown() {
        assertThrows(
                UnknownFieldException.class,
                () -> Where.parse("end - begin > 5ms").bind(FORMAT));
        // a name may have a hyphen, so a difference needs spaces
        assertThrows(
                UnknownFieldException.class,
                () -> Where.parse("end-start > 5ms").bind(FORMAT));
    }

    /** What indexes know of is a field compared with a number. */
    @ParameterizedTest
    @CsvSource({
        "5 < n, n > 5",
        "n + 3 > 5, n > 2",
        "3 - n > 5, n < -2",
        "-n >= 5, n <= -5",
        "n * 2 > 10, n > 5",
        "n * 3 > 10, n > 3",
        "n * 3 >= 10, n >= 4",
        "n * 3 < 10, n < 4",
        "n * 3 <= 10, n <= 3",
        "n * -3 <= 10, n >= -3",
        "n * -3 < 10, n > -4",
        "n / 1024 >= 10, n >= 10240",
        "n * 2 + 3 < n + 10, n < 7",
        "n + 0.5 > 3, n > 2",
        "n * 3 == 9, n == 3",
        "u + 1 > 18446744073709551615, u > 18446744073709551614",
        "d > 2 * 3, d > 6",
        "d > 1 / 4, d > 0.25",
        // these stay as they are
        "n * 3 == 10, n * 3 == 10",
        "n + 1 > 2147483648, n + 1 > 2147483648",
        "n * 0 == 0, n * 0 == 0",
        "n - n == 0, n - n == 0",
        "n + u > 5, n + u > 5",
        "n * n > 5, n * n > 5",
        "10 / n > 5, 10 / n > 5",
        "n / (2 - 2) > 5, n / 0 > 5",
        "d + 1 > 5, d + 1 > 5",
        "s * 2 > 5, s * 2 > 5",
        "d > 1 / 3, d > 1 / 3",
        "d > 1 / 3 + 1 / 6, d > 0.5",
        "d * (1 / 3 + 2 / 3) > (1 / 8) * d, d * 1 > 0.125 * d",
        "d * (1 / 3) > 7 / 640, d * (1 / 3) > 0.0109375",
    })
    void shouldSolveForTheOnlyField(String expression, String resolved) {
        Where simpler = Where.parse(expression).resolve(FORMAT);
        assertEquals(resolved, simpler.toString());
        boolean plain = simpler instanceof Where.Comparison;
        assertEquals(plain, simpler.equals(simpler.resolve(FORMAT)) && plain);
    }

    @Test
    void shouldCompareSinglePrecisionAsItIsInCalculations() {
        assertEquals(true, testSingle("s == 0.1"));
        assertEquals(true, testSingle("0.1 == s"));
        assertEquals(true, testSingle("s == 0.05 * 2"));
        assertEquals(false, testSingle("s * 1 == 0.1"));
        assertEquals(true, testSingle("s * 1 == s"));
        assertInstanceOf(Where.Relation.class, Where.parse("s * 1 == s"));
    }

    private static boolean testSingle(String expression) {
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        StructWriter writer = new StructWriter(FORMAT);
        writer.begin(buffer, 0);
        writer.setDouble(FORMAT.fieldIndex("s"), 0.1f);
        return Where.parse(expression).bind(FORMAT).test(buffer, 0, writer.finish());
    }

    /** From {@code a=1 b='x'}. */
    private static String document(String values) {
        Map<String, String> members = new TreeMap<>();
        for (String value : values.split(" ", -1)) {
            String[] parts = value.split("=", 2);
            String name = parts[0].equals("a.b") ? "a" : parts[0];
            String json = parts[1].replace('\'', '"');
            members.put(name, parts[0].equals("a.b") ? "{\"b\":" + json + "}" : json);
        }
        StringBuilder text = new StringBuilder();
        members.forEach((name, value) -> text.append(text.isEmpty() ? "{" : ",")
                .append('"')
                .append(name)
                .append("\":")
                .append(value));
        return text.append('}').toString();
    }
}
