package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparisons with numbers that a field's type can't hold. */
class ImpossibleComparisonTest {
    private static final PayloadFormat FORMAT =
            Formats.parse("struct:u8:u8,i16:i16,i64:i64,u64:u64,f32:f32,f64:f64,s_ms:i64");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "u8 > 300",
                "u8 > 255",
                "u8 >= 256",
                "u8 < 0",
                "u8 <= -1",
                "u8 == -1",
                "u8 != -1",
                "u8 == 1.5",
                "u8 in (-1, 256)",
                "u8 not in (-1)",
                "not u8 == 256",
                "i16 < -32768",
                "i16 == 32768",
                "i64 > 9223372036854775807",
                "u64 == 18446744073709551616",
                "u64 < 0",
                "f32 == 16777217",
                "f32 == 1e39",
                "f64 == 9007199254740993",
                "s_ms == 1500us",
                "u8 >= 100 / (1 / 3)",
                "i64 > 1 and (u8 == 1 or u8 == 1000)"
            })
    void shouldRefuseWhatNeverHolds(String expression) {
        assertThrows(
                IllegalArgumentException.class, () -> Where.parse(expression).bind(FORMAT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "u8 < 300",
                "u8 >= -1",
                "u8 >= 255",
                "u8 <= 0",
                "u8 > 254.5",
                "u8 == 255.0",
                "u8 in (1, 256)",
                "u8 not in (-1, 255)",
                "u8 between 0 and 1000",
                "i16 >= -32768",
                "i64 == -9223372036854775808",
                "u64 == 18446744073709551615",
                "f32 == 0.1",
                "f32 == 16777216",
                "f32 > 1e39",
                "f64 == 0.1",
                "f64 < -1e309",
                "f64 != 1e309",
                "u8 >= 50 / (1 / 3)",
                "s_ms == 1500ms"
            })
    void shouldTakeWhatCanHold(String expression) {
        Where.parse(expression).bind(FORMAT);
    }

    @Test
    void shouldNameTheNumbersThatThereAre() {
        assertEquals(
                "comparison gives the same result for every value: field=u8, type=u8, values=integers from 0 to 255, operator=>, literal=300",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> Where.parse("u8 > 300").bind(FORMAT))
                        .getMessage());
        // JSON has no types
        Where.parse("u8 > 300").bind(Formats.json());
    }
}
