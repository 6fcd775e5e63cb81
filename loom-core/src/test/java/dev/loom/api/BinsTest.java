package dev.loom.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BinsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "log-linear | log-linear:3",
                "log-linear:0 | log-linear:0",
                "log-linear:6 | log-linear:6",
                "linear:0,1000,100 | linear:0,1000,100",
                "linear:-1.50,+2e3,7 | linear:-1.5,2000,7",
                "linear:-9223372036854775808,18446744073709551615,1 | linear:-9223372036854775808,18446744073709551615,1",
                "edges:10,15,20 | edges:10,15,20",
                "edges:-0.0 | edges:0",
                "edges:1e-300,1,1.7976931348623157e308 | edges:1E-300,1,1.7976931348623157E+308",
                "match:200 | match:200",
                "match:0.10 | match:0.1",
            })
    void shouldReadAndWriteText(String text, String canonical) {
        Bins bins = Bins.parse(text);
        assertEquals(canonical, bins.text());
        assertEquals(bins, Bins.parse(bins.text()));
        assertEquals(bins.hashCode(), Bins.parse(bins.text()).hashCode());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "log",
                "log-linear:",
                "log-linear:-1",
                "log-linear:7",
                "log-linear:1,2",
                "linear",
                "linear:0,1",
                "linear:0,1,0",
                "linear:1,1,1",
                "linear:2,1,1",
                "linear:0,1,65537",
                "linear:0,1,2,3",
                "linear:0,1,1.5",
                "linear:a,1,1",
                "linear:0,NaN,1",
                "linear:0,Infinity,1",
                "edges",
                "edges:",
                "edges:1,",
                "edges:1,1",
                "edges:2,1",
                "edges:1,1.0",
                "match",
                "match:",
                "match:a",
                "match:1,2",
                "match:0x10",
                "match: 1",
                "match:1e401",
                "match:1e-402",
                "match:1e999999999",
                "match:1e2147483648",
                "Edges:1"
            })
    void shouldRefuseTextWhenNotWellFormed(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Bins.parse(text));
        assertTrue(e.getMessage().contains("="), e.getMessage());
    }

    @Test
    void shouldRefuseNumberWhenTooLong() {
        assertEquals(
                "match:" + "7".repeat(400),
                Bins.parse("match:" + "7".repeat(400)).text().replace("E+", "e"));
        assertThrows(IllegalArgumentException.class, () -> Bins.parse("match:" + "7".repeat(401)));
        assertThrows(IllegalArgumentException.class, () -> Bins.parse("match:" + "0".repeat(100_000)));
    }

    @Test
    void shouldBeMadeOfLongsAndDoubles() {
        assertEquals(Bins.parse("log-linear"), Bins.logLinear());
        assertEquals(Bins.parse("linear:-5,5,10"), Bins.linear(-5, 5, 10));
        assertEquals(Bins.parse("linear:0.1,0.7,6"), Bins.linear(0.1, 0.7, 6));
        assertEquals(Bins.parse("edges:10,15,20"), Bins.edges(10, 15, 20));
        assertEquals(Bins.parse("edges:-0.25,1e30"), Bins.edges(-0.25, 1e30));
        assertEquals(Bins.parse("match:9223372036854775807"), Bins.match(Long.MAX_VALUE));
        assertEquals(Bins.parse("match:0.1"), Bins.match(0.1));
        assertNotEquals(Bins.match(1), Bins.edges(1));
        for (double infinite : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertThrows(IllegalArgumentException.class, () -> Bins.match(infinite));
            assertThrows(IllegalArgumentException.class, () -> Bins.edges(0.0, infinite));
            assertThrows(IllegalArgumentException.class, () -> Bins.linear(infinite, 1.0, 1));
        }
    }

    @Test
    void shouldTakeAsManyAsTheLimits() {
        assertEquals(65_536, Bins.linear(0, 65_536, Bins.LINEAR_COUNT_MAX).count());
        assertThrows(IllegalArgumentException.class, () -> Bins.linear(0, 1 << 30, Bins.LINEAR_COUNT_MAX + 1));
        long[] most = LongStream.range(0, Bins.EDGES_COUNT_MAX).toArray();
        assertEquals(16_384, Bins.edges(most).edges().size());
        List<BigDecimal> tooMany = IntStream.rangeClosed(0, Bins.EDGES_COUNT_MAX)
                .mapToObj(BigDecimal::valueOf)
                .toList();
        assertEquals(
                "edge count out of range: count=16385, min=1, max=16384",
                assertThrows(IllegalArgumentException.class, () -> Bins.edges(tooMany))
                        .getMessage());
    }

    @Test
    void shouldRefuseBinsThatKeepValuesTwice() {
        assertThrows(IllegalArgumentException.class, () -> Bins.parse("log-linear+values+values"));
        assertThrows(IllegalArgumentException.class, () -> Bins.parse("log-linear" + "+values".repeat(100_000)));
    }
}
