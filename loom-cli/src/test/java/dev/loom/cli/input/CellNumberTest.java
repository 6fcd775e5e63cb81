package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CellNumberTest {
    private final CellNumber number = new CellNumber();

    @Test
    void shouldReadIntegersAsTheJdkDoes() {
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            long value = random.nextLong() >> random.nextInt(64);
            assertTrue(parseLong(Long.toString(value)));
            assertEquals(value, number.longValue());
            assertTrue(parseUnsigned(Long.toUnsignedString(value)));
            assertEquals(value, number.longValue());
        }
    }

    @Test
    void shouldReadTheEdges() {
        assertTrue(parseLong("9223372036854775807"));
        assertTrue(parseLong("-9223372036854775808"));
        assertEquals(Long.MIN_VALUE, number.longValue());
        assertFalse(parseLong("9223372036854775808"));
        assertFalse(parseLong("-9223372036854775809"));
        assertFalse(parseLong("18446744073709551615"));
        assertTrue(parseUnsigned("18446744073709551615"));
        assertEquals(-1, number.longValue());
        assertFalse(parseUnsigned("18446744073709551616"));
        assertFalse(parseUnsigned("99999999999999999999"));
        assertTrue(parseLong("007"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "+1", "1 ", "1.0", "0x1", "--1", "١"})
    void shouldRefuseWhatIsNoInteger(String text) {
        assertFalse(parseLong(text));
        assertFalse(parseUnsigned(text));
    }

    @Test
    void shouldReadDecimalsAsTheJdkDoes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            String text = switch (random.nextInt(4)) {
                case 0 -> Double.toString(Double.longBitsToDouble(random.nextLong()));
                case 1 -> random.nextInt() + "." + random.nextInt(1_000_000);
                case 2 -> String.format(Locale.ROOT, "%." + random.nextInt(12) + "f", random.nextGaussian());
                default -> Long.toString(random.nextLong());
            };
            assertTrue(parseDouble(text), text);
            assertEquals(Double.parseDouble(text), number.doubleValue(), "seed=" + seed + ", text=" + text);
        }
    }

    @Test
    void shouldReadWhatIsNotFinite() {
        assertTrue(parseDouble("NaN") && Double.isNaN(number.doubleValue()));
        assertTrue(parseDouble("-inf") && number.doubleValue() == Double.NEGATIVE_INFINITY);
        assertTrue(parseDouble("-0") && 1 / number.doubleValue() == Double.NEGATIVE_INFINITY);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "-", "1d", "0x1p3", "1e", "1.2.3", "e5", " 1", "infinite", "1e309", "-1e999"})
    void shouldRefuseWhatIsNoDecimal(String text) {
        assertFalse(parseDouble(text));
    }

    private boolean parseLong(String text) {
        byte[] bytes = (">" + text + "9").getBytes(StandardCharsets.UTF_8);
        return number.parseLong(bytes, 1, bytes.length - 2);
    }

    private boolean parseUnsigned(String text) {
        byte[] bytes = (">" + text + "9").getBytes(StandardCharsets.UTF_8);
        return number.parseUnsigned(bytes, 1, bytes.length - 2);
    }

    private boolean parseDouble(String text) {
        byte[] bytes = (">" + text + "9").getBytes(StandardCharsets.UTF_8);
        return number.parseDouble(bytes, 1, bytes.length - 2);
    }
}
