package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines whose times are recognised become records with an event time. */
class LogTimesImportTest {
    private static final String TRACE = """
            starting
            2026-11-20 10:00:00,100 INFO  [main] a.B - one
            2026-11-20 10:00:01,200 ERROR [main] a.B - two
            java.lang.IllegalStateException: no
            \tat a.B.c(B.java:1)
            Caused by: java.io.IOException: disk
            \t... 3 more

            2026-13-20 10:00:02,000 INFO  [main] a.B - there is no month 13
            \tat a.B.d(B.java:2)
            2026-11-20 10:00:03,300 INFO  [main] a.B - three
            """;

    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory.resolve("store"));
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private String raw(String... options) {
        String[] all = new String[options.length + 4];
        System.arraycopy(new String[] {"scan", "s", "-o", "raw"}, 0, all, 0, 4);
        System.arraycopy(options, 0, all, 4, options.length);
        return cli.run(all).ok().out();
    }

    private List<String> times() {
        return cli.run("scan", "s", "--time", "event", "--asc").ok().lines().stream()
                .map(line -> line.substring(9, line.indexOf('Z') + 1))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[Sun Dec 04 04:47:44 2005] [notice] workerEnv.init() ok|Apache error log|2005-12-04T04:47:44Z",
                "081109 203615 148 INFO dfs.DataNode: terminating|HDFS|2008-11-09T20:36:15Z",
                "2015-10-18 18:01:47,978 INFO [main] a.MRAppMaster: Created|ISO 8601|2015-10-18T18:01:47.978Z",
                "17/06/09 20:10:40 INFO a.Backend: text|year/month/day, two digits|2017-06-09T20:10:40Z",
                "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /\" 200 2|Apache access log|2000-10-10T20:55:36Z",
                "<34>1 2003-10-11T22:14:15.003Z a su - - text|ISO 8601 of syslog (RFC 5424)|2003-10-11T22:14:15.003Z",
                "1795229193.250 text|epoch|2026-11-21T02:46:33.250Z",
            })
    void shouldTakeTheTimesOfCommonLogs(String line, String form, String time) {
        String err =
                cli.importText("s", "lines", line + "\n" + line + "\n").ok().err();
        assertTrue(err.startsWith("loom: times: " + form + ", "), err);
        assertTrue(err.lines().findFirst().orElseThrow().contains(" is " + time), err);
        assertEquals(2, times().size());
        assertEquals(time.substring(0, 19), times().get(0).substring(0, 19));
        assertEquals(line + "\n" + line + "\n", raw());
        String json = cli.run("scan", "s", "--limit", "1").ok().out();
        assertTrue(json.contains("\"fields\":{\"event_time\":"), json);
    }

    @Test
    void shouldLetLinesOfAStackTraceJoinTheirRecord() {
        String err = cli.importText("s", "lines", TRACE).ok().err();
        assertTrue(err.contains("imported 5 records"), err);
        assertTrue(err.endsWith("; 6 lines joined the record before; 2 lines without a time\n"), err);
        assertEquals(TRACE, raw("--asc"));
        assertEquals(
                List.of(
                        "2026-11-20T10:00:00.100000000Z",
                        "2026-11-20T10:00:01.200000000Z",
                        "2026-11-20T10:00:03.300000000Z"),
                times());
        assertTrue(cli.run("search", "s", "disk").ok().out().contains("IllegalStateException"));
    }

    @Test
    void shouldCountOverTheTimesOfLines() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            text.append(String.format("Nov %2d %02d:00:00 host a: text %d%n", 1 + i / 24, i % 24, i));
        }
        cli.importText("s", "lines", text.toString()).ok();
        List<String> days = cli.run("search", "s", "text", "--count", "--step", "1d", "--time", "event", "-o", "csv")
                .ok()
                .lines();
        assertEquals(1 + 13, days.size(), days.toString());
        assertTrue(days.subList(1, 13).stream().allMatch(line -> line.contains(",24,")), days.toString());
        String agg = cli.run(
                        "agg",
                        "s",
                        "event_time",
                        "--time",
                        "event",
                        "--from",
                        "2026-11-03T00:00:00Z",
                        "--to",
                        "2026-11-05T00:00:00Z")
                .ok()
                .out();
        assertTrue(agg.contains("\"count\":48,"), agg);
    }

    @Test
    void shouldSearchLinesAsThoseOfText() {
        String lines = "2026-11-20 10:00:00 ERROR disk full\n2026-11-20 10:00:01 INFO all is well\n";
        cli.importText("s", "lines", lines).ok();
        cli.importText("t", "lines", lines, "--time-pattern", "none").ok();
        for (String source : List.of("s", "t")) {
            String found = "2026-11-20 10:00:00 ERROR disk full\n";
            assertEquals(
                    found, cli.run("search", source, "error", "-o", "raw").ok().out());
            assertEquals(
                    found, cli.run("tail", source, "disk", "-o", "raw").ok().out());
            assertEquals(
                    found,
                    cli.run("scan", source, "--where", "line matches \"dis*\"", "-o", "raw")
                            .ok()
                            .out());
            String explained =
                    cli.run("search", source, "absent", "--explain").ok().err();
            assertTrue(explained.contains("text index, units=1, skipped=1,"), explained);
        }
        String sources = cli.run("sources").ok().out();
        assertTrue(sources.contains("\"format\":\"struct:event_time:i64?,line:utf8\""), sources);
        assertTrue(sources.contains("\"format\":\"text\""), sources);
    }

    @Test
    void shouldTakeTheZoneThatIsAskedFor() throws IOException {
        String file = file("a.log", "2026-10-25 02:30:00 twice\n2026-03-29 02:30:00 never\n");
        String err = cli.run("import", "--source", "s", "--format", "lines", "--tz", "Europe/Berlin", file)
                .ok()
                .err();
        assertTrue(
                err.startsWith(
                        "loom: times: ISO 8601, 2026-10-25 02:30:00 is 2026-10-25T00:30:00Z, zone Europe/Berlin\n"),
                err);
        assertEquals(List.of("2026-03-29T01:30:00.000000000Z", "2026-10-25T00:30:00.000000000Z"), times());
        cli.run("import", "--source", "s", "--format", "lines", "--tz", "Nowhere/Else", file)
                .exit(2)
                .says("--tz: unknown zone: Nowhere/Else; for example Europe/Berlin or +02:00");
        err = cli.run("import", "--source", "u", "--format", "lines", file).ok().err();
        assertTrue(err.contains(" is 2026-10-25T02:30:00Z, zone UTC by default (--tz)\n"), err);
    }

    @Test
    void shouldAskAtATerminalForWhatTimesLeaveOut() throws IOException {
        String first = file("a.log", "Jun 14 15:16:01 host a: text\n");
        String second = file("b.log", "Jul 14 15:16:01 host a: text\n");
        String err = cli.inTerminal()
                .errTerminal()
                .input("Europe/Berlin\n2005\n\n")
                .run("import", "--source", "s", "--format", "lines", first, second)
                .ok()
                .err();
        assertTrue(err.contains("zone of the times in " + first + ", such as Europe/Berlin [UTC]: "), err);
        assertTrue(err.contains("year of the first time in " + first + ", Jun 14 15:16:01 ["), err);
        assertTrue(err.contains(" is 2005-06-14T13:16:01Z, zone Europe/Berlin, year 2005\n"), err);
        assertTrue(err.contains(" is 2026-07-14T13:16:01Z, zone Europe/Berlin, year 2026 by default (--year)\n"), err);
        err = cli.input("")
                .run("import", "--source", "s", "--format", "lines", "--tz", "UTC", "--year", "2004", first)
                .ok()
                .err();
        assertFalse(err.contains(": loom"), err);
        assertTrue(err.contains(" is 2004-06-14T15:16:01Z, zone UTC, year 2004\n"), err);
        cli.input("Nowhere\n")
                .run("import", "--source", "s", "--format", "lines", first)
                .exit(2);
    }

    @Test
    void shouldFollowALogIntoTheNextYear() {
        cli.importText("s", "lines", "Dec 31 23:59:59 h a: 1\nJan  1 00:00:00 h a: 2\n", "--year", "2020")
                .ok();
        assertEquals(List.of("2020-12-31T23:59:59.000000000Z", "2021-01-01T00:00:00.000000000Z"), times());
        String err = cli.importText("s", "lines", "Dec 31 23:59:59 h a: 1\nJan  1 00:00:00 h a: 2\n", "--year", "2026")
                .ok()
                .err();
        assertTrue(err.endsWith("; the newest time is ahead of now: 2027-01-01T00:00:00Z\n"), err);
    }

    @Test
    void shouldTakeTheDateOfTimesWithoutOne() {
        cli.importText(
                        "s",
                        "lines",
                        "23:59:59.500 [main] INFO a - x\n00:00:00.250 [main] INFO a - y\n",
                        "--date",
                        "2026-11-05")
                .ok();
        assertEquals(List.of("2026-11-05T23:59:59.500000000Z", "2026-11-06T00:00:00.250000000Z"), times());
    }

    @Test
    void shouldGoOnWithASourceOfText() {
        cli.importText("s", "lines", "plain\n").ok();
        String err =
                cli.importText("s", "lines", "2026-11-20 10:00:00 text\n").ok().err();
        assertTrue(err.startsWith("loom: times: ISO 8601, not taken: the source has the format text\n"), err);
        assertEquals("plain\n2026-11-20 10:00:00 text\n", raw("--asc"));
    }

    @Test
    void shouldGoOnWithASourceOfTimes() {
        cli.importText("s", "lines", "2026-11-20 10:00:00 text\n").ok();
        String err = cli.importText("s", "lines", "plain\nmore\n").ok().err();
        assertTrue(err.startsWith("loom: times: none found in the first 2 lines; records get none\n"), err);
        assertTrue(err.endsWith("; 2 lines without a time\n"), err);
        cli.importText("s", "lines", "1795229193 text\n").ok();
        assertEquals(List.of("2026-11-20T10:00:00.000000000Z", "2026-11-21T02:46:33.000000000Z"), times());
        assertEquals("2026-11-20 10:00:00 text\nplain\nmore\n1795229193 text\n", raw("--asc"));
        cli.importText("s", "lines", "plain\n", "--time-pattern", "none").ok();
        cli.importText("c", "csv", "a\n1\n").ok();
        assertTrue(cli.importText("c", "lines", "2026-11-20 10:00:00 text\n")
                .exit(2)
                .err()
                .contains("different format"));
    }

    @Test
    void shouldTakeAPattern() {
        cli.importText("s", "lines", "a\n20.11.26 10.00 text\n b\n", "--time-pattern", "dd.MM.yy HH.mm")
                .ok();
        assertEquals(List.of("2026-11-20T10:00:00.000000000Z"), times());
        assertEquals("a\n20.11.26 10.00 text\n b\n", raw("--asc"));
        cli.importText("s", "lines", "a\n", "--time-pattern", "bogus")
                .exit(2)
                .says("--time-pattern is none: bogus: Unknown pattern letter: b");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "yyyy-MM-dd hh:mm:ss | hours h and K need a, for am or pm; H is the hour of the day",
                "yyyy-MM-dd KK:mm:ss | hours h and K need a, for am or pm; H is the hour of the day",
                "yyyy-MM-dd mm:ss | it has minutes or seconds without an hour",
                "YYYY-MM-dd HH:mm:ss | Y is the year of a week; y is the year of a date",
                "yyyy HH:mm:ss | it has a year without a month and a day"
            })
    void shouldRefusePatternsOfHalfATime(String pattern, String problem) {
        cli.importText("s", "lines", "2026-11-20 10:00:00 text\n", "--time-pattern", pattern)
                .exit(2)
                .says("--time-pattern is none: " + pattern + ": " + problem);
    }

    @ParameterizedTest
    @CsvSource({
        "31.02.2026 10:00, dd.MM.yyyy HH:mm,",
        "29.02.2026 10:00, dd.MM.yyyy HH:mm,",
        "29.02.2024 10:00, dd.MM.yyyy HH:mm, 2024-02-29T10:00:00",
        "31.11.2025 10:00+0100, dd.MM.yyyy HH:mmxx,",
        "30.11.2025 10:00+0100, dd.MM.yyyy HH:mmxx, 2025-11-30T09:00:00",
        "31.01.2026 24:00, dd.MM.yyyy HH:mm, 2026-02-01T00:00:00",
        "28.02.2026 24:00, dd.MM.yyyy HH:mm, 2026-03-01T00:00:00",
        "30.01.2026 24:00, dd.MM.yyyy HH:mm, 2026-01-31T00:00:00",
        "31.02.2026 24:00, dd.MM.yyyy HH:mm,",
        "30.12.2026 24:00, dd.MM.uuuu HH:mm, 2026-12-31T00:00:00",
        "29.02.26 10:00, dd.MM.yy HH:mm,",
        "31.11. 10:00, dd.MM. HH:mm,"
    })
    void shouldTakeNoTimeByAPatternThatDoesNotExist(String time, String pattern, String taken) {
        String err = cli.importText("s", "lines", time + " text\n", "--time-pattern", pattern)
                .ok()
                .err();
        assertEquals(taken == null, err.endsWith("; 1 line without a time\n"), err);
        assertEquals(taken == null ? List.of() : List.of(taken + ".000000000Z"), times());
    }

    @Test
    void shouldTakeAPatternOfHalfDays() {
        cli.importText("s", "lines", "2026-11-20 10:00:01 PM text\n", "--time-pattern", "yyyy-MM-dd hh:mm:ss a")
                .ok();
        assertEquals(List.of("2026-11-20T22:00:01.000000000Z"), times());
    }

    @Test
    void shouldRefuseTwoFieldsOfTimes() {
        cli.importText("s", "lines", "a\n", "--time-pattern", "HH:mm", "--event-time", "line")
                .exit(2)
                .says("--time-pattern and --event-time are mutually exclusive");
        cli.importText("s", "lines", "2026-11-20T10:00:00Z\n", "--event-time", "line")
                .ok();
        assertTrue(cli.run("sources").ok().out().contains("\"format\":\"text\""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--time-pattern=HH:mm", "--year=2020", "--date=2020-01-01"})
    void shouldRefuseTimesOfOtherFormats(String option) {
        cli.importText("s", "csv", "a\n1\n", option)
                .exit(2)
                .says(option.substring(0, option.indexOf('=')) + " is for --format lines, not csv");
    }

    @ParameterizedTest
    @CsvSource({"--year, 20", "--year, x", "--date, 2020-13-01", "--date, today"})
    void shouldRefuseYearsAndDatesThatAreNone(String option, String value) {
        String err = cli.importText("s", "lines", "a\n", option, value).exit(2).err();
        assertTrue(err.startsWith("loom: " + option + " is not ") && err.endsWith(": " + value + "\n"), err);
    }

    @Test
    void shouldEndARecordThatGrowsTooLong() {
        String long1 = "x".repeat(700_000);
        String text = "2026-11-20 10:00:00 a\n" + long1 + "\n" + long1 + "\nb\n2026-11-20 10:00:01 c\n";
        String err = cli.importText("s", "lines", text).ok().err();
        assertTrue(err.endsWith("; 2 lines joined the record before; 1 line too late or too much to join\n"), err);
        assertTrue(text.equals(raw("--asc")));
        assertEquals(
                List.of(
                        "2026-11-20T10:00:00.000000000Z",
                        "2026-11-20T10:00:00.000000000Z",
                        "2026-11-20T10:00:01.000000000Z"),
                times());
    }

    @Test
    void shouldKeepLinesOfAnyLengthAmongOthers() {
        cli = Cli.on(directory.resolve("large records"));
        String tooLong = "2026-11-20 10:00:00 " + "x".repeat(17 << 20);
        String large = "2026-11-20 10:00:01 " + "y".repeat(3 << 20);
        String text = "2026-11-20 10:00:00 a\r\n\tb\r\n" + large + "\n\tc\n2026-11-20 10:00:02 d";
        Cli.Result result = cli.importText(
                        "s", "lines", "2026-11-20 09:59:59 -\n" + tooLong + "\n" + text, "--on-bad", "skip")
                .ok();
        assertTrue(result.err().contains("loom: line 2: line is longer than "), result.err());
        String kept = "2026-11-20 09:59:59 -\n" + text.replace("\tb\r\n", "\tb\n") + "\n";
        assertTrue(kept.equals(raw("--asc")));
    }

    @Test
    void shouldReplayLines() throws IOException {
        String file = file("a.log", "2026-11-20 10:00:00 a\n2026-11-20 10:00:00 b\n");
        String err = cli.run("import", "--source", "s", "--format", "lines", "--replay", file)
                .ok()
                .err();
        assertTrue(err.endsWith("; arrival times follow event times\n"), err);
        cli.importText("t", "lines", "plain\n", "--replay").exit(2);
    }

    /** As a log is that was rotated just now. */
    @Test
    void shouldTakeTheTimesOfAFileAfterAnEmptyOne() throws IOException {
        String empty = file("a.log", "");
        String rotated = file("a.log.1", "2026-11-20 10:00:00 x\n");
        cli.run("import", "--source", "s", "--format", "lines", empty, rotated).ok();
        assertEquals(List.of("2026-11-20T10:00:00.000000000Z"), times());
    }
}
