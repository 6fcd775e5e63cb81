package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "1ns, 1",
        "250us, 250000",
        "3µs, 3000",
        "1.5ms, 1500000",
        "5m, 300000000000",
        "1h30m, 5400000000000",
        "3μs, 3000",
        "2d, 172800000000000",
        "0s, 0"
    })
    void shouldReadADuration(String text, long ns) {
        assertEquals(ns, Quantity.duration(text).toNanos());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "5", "m", "5x", "-5m", "5m3", "1..5s", "999999999d", "5 m"})
    void shouldRefuseWhatIsNoDuration(String text) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> Quantity.duration(text));
        assertEquals(
                "not a duration: \"" + text
                        + "\"; expected a number and a unit of ns, us, ms, s, m, h, d, for example 250ms or 1h30m",
                e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "65536, 65536",
        "64KiB, 65536",
        "1.5GiB, 1610612736",
        "2mib, 2097152",
        "1TiB, 1099511627776",
        "7B, 7"
    })
    void shouldReadASize(String text, long bytes) {
        assertEquals(bytes, Quantity.bytes(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "KiB", "-1", "1kb", "1 MiB", "99999999TiB"})
    void shouldRefuseWhatIsNoSize(String text) {
        Exception e = assertThrows(IllegalArgumentException.class, () -> Quantity.bytes(text));
        assertEquals(
                "not a size: \"" + text
                        + "\"; expected a number and optionally a unit of B, KiB, MiB, GiB, TiB, for example 64MiB",
                e.getMessage());
    }

    @Test
    void shouldCutAFractionOfTheSmallestUnit() {
        assertEquals(1, Quantity.duration("1.9ns").toNanos());
        assertEquals(1536, Quantity.bytes("1.5KiB"));
    }
}
