package dev.loom.cli.logtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecognitionTest {
    private static final long NOW_NS = 1_795_229_200_000_000_000L;

    private static List<byte[]> bytes(List<String> lines) {
        return lines.stream().map(line -> line.getBytes(UTF_8)).toList();
    }

    private static Optional<String> name(String... lines) {
        return Recognition.of(bytes(List.of(lines)), NOW_NS).map(RecognisedTimes::name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "text",
                "12345 text",
                "order 1795229193 accepted",
                "4102444800 is more than a year ahead",
                "192.168.10.11 a",
                "1795229193.1.2 an address",
                "0012345678 a number",
                "4915112345678 a telephone number",
                "2026-11-24 a day",
                "123456 123456 numbers",
                "{\"ts\":\"2026-11-21T02:46:33Z\"}",
                "   2026-11-21T02:46:33Z indented",
                "1795229193abc an id",
                "99:99:99 nothing",
                "the 14 15:16:01",
                "a:b:c",
                "2026-11-24 06:01:47 PM hours wrong",
                "2026-11-24 06:01:47am",
                "Tue Nov 24 06:01:47 PM CET 2026 hours wrong",
                "Tue Nov 24 18:01:47 CET 2026 a year and a zone",
                "10:11 a time without seconds"
            })
    void shouldTakeOtherTextForNoTime(String line) {
        assertEquals(Optional.empty(), name(line, line, line));
    }

    @Test
    void shouldWantAQuarterOfTheLinesThatAreNotIndented() {
        List<String> lines = new ArrayList<>(List.of("2026-11-21 02:46:33 a"));
        lines.addAll(Collections.nCopies(3, "Caused by: text"));
        lines.addAll(Collections.nCopies(100, "\tat a.B.c(B.java:1)"));
        assertTrue(Recognition.of(bytes(lines), NOW_NS).isPresent());
        lines.add("one more");
        assertTrue(Recognition.of(bytes(lines), NOW_NS).isEmpty());
        assertTrue(Recognition.of(List.of(), NOW_NS).isEmpty());
    }

    @Test
    void shouldPreferTheFirstTimeOfALine() {
        assertEquals(
                Optional.of("ISO 8601"),
                name(
                        "2026-11-21 02:46:33,100 at 10:11:12 or 2026/11/21 02:46:33",
                        "2026-13-21 02:46:33,100 at 10:11:12 or 2026/11/21 02:46:33"));
        assertEquals(Optional.of("syslog (RFC 3164)"), name("Nov 21 02:46:33 host a: 2026-11-21 02:46:33 text"));
    }

    /** Most lines have the zone's name that can't be read, and the others would be of another year. */
    @ParameterizedTest
    @ValueSource(strings = {"UTC", "GMT", "+0000"})
    void shouldReadNoTimeBeforeAYearWithoutIt(String zone) {
        LineTimes times = Recognition.of(bytes(List.of("host Nov 24 18:01:47 text")), NOW_NS)
                .orElseThrow()
                .reader(new LogTimeSettings(ZoneOffset.UTC, false, null, null), NOW_NS);
        byte[] line = ("Tue Nov 24 18:01:47 " + zone + " 2020").getBytes(UTF_8);
        assertEquals(LineTimes.Kind.NONE, times.read(line, 0, line.length));
    }

    @Test
    void shouldFollowAThreadsNameOfMoreWords() {
        LineTimes times = Recognition.of(
                        bytes(List.of(
                                "INFO  [main] 2026-11-21 02:46:33,100 a", "INFO  [main] 2026-11-21 02:46:33,200 b")),
                        NOW_NS)
                .orElseThrow()
                .reader(new LogTimeSettings(ZoneOffset.UTC, false, null, null), NOW_NS);
        byte[] line = "INFO  [http worker 7] 2026-11-21 02:46:34,000 c".getBytes(UTF_8);
        assertEquals(LineTimes.Kind.TIME, times.read(line, 0, line.length));
        assertEquals(Instant.parse("2026-11-21T02:46:34Z"), Instant.EPOCH.plusNanos(times.timeNs()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "dd.MM.yy HH.mm.ss|21.11.26 02.46.33 text|2026-11-21T02:46:33Z",
                "'['dd/MM/yyyy, h:mm:ss a']'|[21/11/2026, 2:46:33 AM] text|2026-11-21T02:46:33Z",
                "yyyy-MM-dd HH:mm:ss z|2026-11-21 02:46:33 CET text|2026-11-21T01:46:33Z",
                "yyyy-MM-dd'T'HH:mm:ssXXX|2026-11-21T02:46:33-05:00 text|2026-11-21T07:46:33Z",
                "yyyy-DDD HH:mm|2026-325 02:46 text|2026-11-21T02:46:00Z",
                "dd.MM. HH:mm|20.11. 02:46 text|2026-11-20T02:46:00Z",
                "HH:mm|01:46 text|2026-11-21T01:46:00Z",
                "yyyyMMdd|20261121 text|2026-11-21T00:00:00Z",
                "dd.MM.yyyy HH:mm|INFO main 21.11.2026 02:46 text|2026-11-21T02:46:00Z",
            })
    void shouldReadAPatternOfJava(String pattern, String line, Instant time) {
        RecognisedTimes found = Recognition.of(bytes(List.of(line)), NOW_NS, pattern);
        LineTimes times = found.reader(new LogTimeSettings(ZoneOffset.UTC, false, null, null), NOW_NS);
        byte[] bytes = line.getBytes(UTF_8);
        assertEquals(LineTimes.Kind.TIME, times.read(bytes, 0, bytes.length));
        assertEquals(time, Instant.EPOCH.plusNanos(times.timeNs()));
        byte[] none = "text".getBytes(UTF_8);
        assertEquals(LineTimes.Kind.NONE, times.read(none, 0, none.length));
    }

    @Test
    void shouldTellATimeOfAPatternThatThereIsNot() {
        LineTimes times = Recognition.of(List.of(), NOW_NS, "dd.MM.yyyy HH:mm")
                .reader(new LogTimeSettings(ZoneOffset.UTC, false, null, null), NOW_NS);
        for (String line : List.of("31.02.2026 99:00 text", "21.13.2026 00:00 text", "21.12.9999 00:00 text")) {
            byte[] bytes = line.getBytes(UTF_8);
            assertEquals(LineTimes.Kind.UNPARSED, times.read(bytes, 0, bytes.length), line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"yyyy-MM-dd HH:mm:ss}", "bogus", "'text'", "yyyy", "MM HH:mm", ""})
    void shouldRefuseWhatIsNoPatternForTimes(String pattern) {
        assertThrows(IllegalArgumentException.class, () -> Recognition.of(List.of(), NOW_NS, pattern));
    }
}
