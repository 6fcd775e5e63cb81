package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventTimeImportTest {
    @TempDir
    Path directory;

    private Cli cli;
    private String clockPair = "";

    @BeforeEach
    void open() throws IOException {
        cli = Cli.onSmallStore(directory.resolve("store"));
        Path file = directory.resolve("clock.json");
        clockPair = Files.writeString(file, "{\"start\":{\"wall_ns\":1795229000000000000,\"monotonic_ns\":5000}}")
                .toString();
    }

    private List<String> times(String... arguments) {
        String[] all = new String[arguments.length + 5];
        System.arraycopy(new String[] {"scan", "s", "--time", "event", "--asc"}, 0, all, 0, 5);
        System.arraycopy(arguments, 0, all, 5, arguments.length);
        return cli.run(all).ok().lines().stream()
                .map(line -> line.substring(9, line.indexOf('Z') + 1))
                .toList();
    }

    @Test
    void shouldTakeTheUnitOfAWallClockFromItsSize() {
        cli.importText("s", "jsonl", """
                        {"t":1795229193}
                        {"t":1795229194000}
                        {"t":1795229195000000}
                        {"t":1795229196000000001}
                        {"t":1795229197.25}
                        {"t":"2026-11-21T02:46:38.5Z"}
                        {"t":"2026-11-21T04:46:39+02:00"}
                        {"t":null}
                        {"t":"now"}
                        {"u":1}
                        """, "--event-time", "t").ok();
        assertEquals(
                List.of(
                        "2026-11-21T02:46:33.000000000Z",
                        "2026-11-21T02:46:34.000000000Z",
                        "2026-11-21T02:46:35.000000000Z",
                        "2026-11-21T02:46:36.000000001Z",
                        "2026-11-21T02:46:37.250000000Z",
                        "2026-11-21T02:46:38.500000000Z",
                        "2026-11-21T02:46:39.000000000Z"),
                times());
        assertEquals(
                "loom: 3 records without an event time are left out\n",
                cli.run("scan", "s", "--time", "event").ok().err());
    }

    @Test
    void shouldReadTimesAsDatabasesAndLoggersWriteThem() {
        String err = cli.importText("s", "csv", """
                        t,a
                        "2026-11-21 02:46:33,399",1
                        2026-11-21 02:46:34.5,2
                        2026-11-21 02:46:35+00,3
                        2026-11-21 03:46:36 +0100,4
                        2026-11-21T02:46:37 UTC,5
                        """, "--event-time", "t").ok().err();
        assertFalse(err.contains("without an event time"), err);
        assertEquals(
                List.of(
                        "2026-11-21T02:46:33.399000000Z",
                        "2026-11-21T02:46:34.500000000Z",
                        "2026-11-21T02:46:35.000000000Z",
                        "2026-11-21T02:46:36.000000000Z",
                        "2026-11-21T02:46:37.000000000Z"),
                times());
    }

    /** As texts and as numbers, in a field and in a line. */
    @Test
    void shouldReadTextsLikeNumbersAndLines() {
        String err = cli.importText("s", "jsonl", """
                        {"t":1795229193123.5}
                        {"t":"1795229193123.5"}
                        {"t":1795229193123456.25}
                        {"t":"1795229193123456.25"}
                        {"t":"2026-12-31T23:59:60Z"}
                        """, "--event-time", "t").ok().err();
        assertFalse(err.contains("without an event time"), err);
        assertEquals(
                List.of(
                        "2026-11-21T02:46:33.123456250Z",
                        "2026-11-21T02:46:33.123456250Z",
                        "2026-11-21T02:46:33.123500000Z",
                        "2026-11-21T02:46:33.123500000Z",
                        "2027-01-01T00:00:00.000000000Z"),
                times());
    }

    @ParameterizedTest
    @CsvSource({"--event-clock, wall", "--event-at, end"})
    void shouldSayHowManyRecordsHaveNoEventTime(String option, String value) {
        String csv = "t,a\n2026-11-21 02:46:33,1\n,2\n21/Nov/2026:02:46:33 +0000,3\n2026-11-21 02:46:34,4\n";
        String err = cli.importText("s", "csv", csv, "--event-time", "t", option, value)
                .ok()
                .err();
        assertTrue(err.contains("; 2 records without an event time, the first: line 3, t=absent\n"), err);
        String json = "{\"t\":\"Nov 21 02:46:33\"}\n{\"t\":1795229193}\n";
        err = cli.importText("j", "jsonl", json, "--event-time", "t", option, value)
                .ok()
                .err();
        assertTrue(err.contains("; 1 record without an event time: line 1, t=\"Nov 21 02:46:33\"\n"), err);
        assertFalse(cli.importText("n", "csv", csv).ok().err().contains("without"));
    }

    @Test
    void shouldTurnMonotonicTimesIntoEpochs() {
        cli.importText("s", "csv", "t,a\n5001,1\n4999,2\n", "--event-time", "t", "--clock-pair", clockPair)
                .ok();
        assertEquals(List.of("2026-11-21T02:43:19.999999999Z", "2026-11-21T02:43:20.000000001Z"), times());
        assertTrue(cli.run("scan", "s", "--limit", "1").ok().out().endsWith("\"fields\":{\"t\":4999,\"a\":2}}\n"));
    }

    @Test
    void shouldTakeThisMachinesClocksForAPipe() {
        Cli.Result result = cli.importText(
                        "s", "csv", "t\n" + System.nanoTime() + "\n", "--event-time", "t", "--event-clock", "monotonic")
                .ok();
        assertTrue(
                result.err().contains("loom: event times are read as this machine's current monotonic clock\n"),
                result.err());
        Instant arrival = Instant.parse(cli.run("scan", "s").ok().out().substring(9, 39));
        Duration apart = Duration.between(Instant.parse(times().get(0)), arrival);
        assertTrue(apart.abs().compareTo(Duration.ofMinutes(10)) < 0, apart::toString);
        cli.importText("s", "csv", "t\n" + System.nanoTime() + "\n", "--event-time", "t", "--event-clock", "monotonic")
                .ok();
        assertEquals(2, times().size());
    }

    @Test
    void shouldRefuseMonotonicTimesOfAnotherBoot() throws IOException {
        long wallNs = System.currentTimeMillis() * 1_000_000 - 3_600_500_000_000L;
        String earlier = Files.writeString(
                        directory.resolve("earlier.json"),
                        "{\"start\":{\"wall_ns\":" + wallNs + ",\"monotonic_ns\":" + System.nanoTime() + "}}")
                .toString();
        cli.importText("s", "csv", "t\n" + System.nanoTime() + "\n", "--event-time", "t", "--clock-pair", earlier)
                .ok();
        String[] live = {"--event-time", "t", "--event-clock", "monotonic"};
        String problem = cli.importText("s", "csv", "t\n" + System.nanoTime() + "\n", live)
                .exit(2)
                .err();
        assertTrue(problem.contains("the machine was started again, or slept"), problem);
        assertTrue(problem.contains("wrong by=-3600 s"), problem);
        assertEquals(1, times().size());
        cli.run("source", "close", "s").ok();
        cli.importText("s", "csv", "t\n" + System.nanoTime() + "\n", live).ok();
    }

    @Test
    void shouldRefuseAnotherUnitOfThisMachinesClock() {
        String[] live = {"--event-time", "t", "--event-clock", "monotonic"};
        cli.importText("s", "csv", "t\n" + System.nanoTime() + "\n", live).ok();
        String problem = cli.importText(
                        "s",
                        "csv",
                        "t\n" + System.nanoTime() / 1_000 + "\n",
                        "--event-time",
                        "t",
                        "--event-clock",
                        "monotonic",
                        "--event-time-unit",
                        "us")
                .exit(2)
                .err();
        assertTrue(problem.contains("source has a different event time"), problem);
    }

    @Test
    void shouldRefuseClocksThatMakeNoSense() throws IOException {
        String file = Files.writeString(directory.resolve("a.csv"), "t\n1\n").toString();
        String[] common = {"import", "--source", "s", "--format", "csv", file};
        refuses(
                "--event-clock monotonic needs --clock-pair, unless the input is - or a pipe",
                common,
                "--event-time",
                "t",
                "--event-clock",
                "monotonic");
        refuses(
                "--event-clock, --clock-pair, --event-time-unit and --event-at need --event-time",
                common,
                "--event-clock",
                "wall");
        refuses(
                "--clock-pair is for --event-clock monotonic",
                common,
                "--event-time",
                "t",
                "--event-clock",
                "wall",
                "--clock-pair",
                clockPair);
        refuses(
                "can't read the clock pair: file=" + directory.resolve("none") + ", reason=no such file",
                common,
                "--event-time",
                "t",
                "--clock-pair",
                directory.resolve("none").toString());
        assertTrue(cli.importText("s", "csv", "t\n1\n", "--event-time", "u")
                .exit(2)
                .err()
                .contains("--event-time names an unknown field: u; format: struct:t:i64?"));
        assertTrue(cli.importText("s", "csv", "t\n1\n", "--replay")
                .exit(2)
                .err()
                .contains("--replay needs event times: set their field with --event-time"));
        refuses("--replay is not a speed: 0.0; for example 1, 0.5 or 10", common, "--event-time", "t", "--replay=0");
    }

    private void refuses(String message, String[] common, String... more) {
        String[] all = Arrays.copyOf(common, common.length + more.length);
        System.arraycopy(more, 0, all, common.length, more.length);
        cli.run(all).exit(2).says(message);
    }

    @Test
    void shouldKeepTheEventTimeOfASource() {
        cli.importText("s", "csv", "t,u\n1,2\n", "--event-time", "t", "--event-clock", "wall")
                .ok();
        cli.importText("s", "csv", "t,u\n2,3\n").ok();
        cli.importText("s", "csv", "t,u\n3,4\n", "--event-time", "t", "--event-clock", "wall")
                .ok();
        assertEquals(3, times().size());
        assertTrue(cli.importText("s", "csv", "t,u\n1,2\n", "--event-time", "u")
                .exit(2)
                .err()
                .contains("source has a different event time: source=s"));
        assertTrue(cli.run("sources", "-o", "table").ok().out().contains("t (wall)"));
        cli.importText("plain", "csv", "t\n1\n").ok();
        cli.run("scan", "plain", "--time", "event")
                .exit(2)
                .says("source has no event time: plain; import sets it with --event-time");
    }

    @Test
    void shouldSelectAndOrderByEventTime() {
        cli.importText(
                        "s",
                        "csv",
                        "t,a\n30,c\n10,a\n,x\n40,d\n20,b\n30,e\n",
                        "--event-time",
                        "t",
                        "--event-clock",
                        "wall")
                .ok();
        Cli.Result result = cli.run("scan", "s", "--time", "event", "--from", "20", "--to", "40", "-o", "csv")
                .ok();
        assertEquals(
                List.of("30,e", "30,c", "20,b"),
                result.lines().stream()
                        .skip(1)
                        .map(line -> line.substring(line.lastIndexOf(',', line.lastIndexOf(',') - 1) + 1))
                        .toList());
        assertEquals("""
                loom: event time from 1970-01-01T00:00:20.000000000Z to 1970-01-01T00:00:40.000000000Z (excluded)
                loom: 1 records without an event time are left out
                """, result.err());
        assertEquals(
                List.of("1970-01-01T00:00:10.000000000Z", "1970-01-01T00:00:20.000000000Z"), times("--limit", "2"));
    }

    @ParameterizedTest
    @CsvSource({
        "ts_ns, 2904627318388, 1970-01-01T00:48:24.627318388Z, ns",
        "t, 2904627318388, 2062-01-16T08:55:18.388Z, inferred from its size",
        "time_ms, 1795229193399411, out of range, ms",
        "at_s, 1795229193399, out of range, s",
        "t, 0, 1970-01-01T00:00:00Z, inferred from its size"
    })
    void shouldRefuseTimesThatCannotBeMeant(String field, String value, String time, String unit) {
        String err = cli.importText("s", "csv", field + ",a\n,1\n" + value + ",2\n", "--event-time", field)
                .exit(2)
                .err();
        String message = "implausible event time: line 3, " + field + "=" + value + ", clock=wall, ";
        assertTrue(err.contains(message), err);
        assertTrue(err.contains(", unit=" + unit + ", time=" + time + ";"), err);
        assertEquals("", cli.run("sources").ok().out());
        cli.importText("s", "csv", field + "\n" + value + "\n", "--event-time", field, "--event-clock", "wall")
                .ok();
    }

    @ParameterizedTest
    @CsvSource({
        "ts_ns, '', 1795229193399411123, 2026-11-21T02:46:33.399411123Z",
        "ts_us, '', 1795229193399411, 2026-11-21T02:46:33.399411000Z",
        "ts_ms, '', 1795229193399.5, 2026-11-21T02:46:33.399500000Z",
        "ts_s, '', 1795229193, 2026-11-21T02:46:33.000000000Z",
        "ts_s, '', 1795229193.25, 2026-11-21T02:46:33.250000000Z",
        "ts_s, ms, 1795229193399, 2026-11-21T02:46:33.399000000Z",
        "t, ms, 179522919339, 1975-09-09T19:28:39.339000000Z",
        "ts_ms, '', 2026-11-21T02:46:33Z, 2026-11-21T02:46:33.000000000Z"
    })
    void shouldTakeTheUnitOfTheNameOrTheOneAskedFor(String field, String unit, String value, String time) {
        String[] options = unit.isEmpty()
                ? new String[] {"--event-time", field}
                : new String[] {"--event-time", field, "--event-time-unit", unit};
        cli.importText("s", "csv", field + "\n" + value + "\n", options).ok();
        cli.importText("s", "csv", field + "\n" + value + "\n", "--event-time", field)
                .ok();
        assertEquals(List.of(time, time), times());
        String quoted = value.matches("[0-9.]+") ? value : '"' + value + '"';
        cli.importText("j", "jsonl", "{\"" + field + "\":" + quoted + "}\n", options)
                .ok();
        cli.importText("j", "jsonl", "{\"" + field + "\":\"" + value + "\"}\n", options)
                .ok();
        List<String> all = cli.run("scan", "j", "--time", "event").ok().lines();
        assertTrue(all.size() == 2 && all.stream().allMatch(line -> line.contains(time)), all.toString());
    }

    @Test
    void shouldCorrectTheClockOfASourceLater() {
        cli.importText("s", "csv", "ts_ns,u\n5001,7\n4999,9\n", "--event-time", "ts_ns", "--event-clock", "wall")
                .ok();
        assertEquals("1970-01-01T00:00:00.000004999Z", times().get(0));
        cli.run("source", "set", "s", "--clock-pair", clockPair)
                .ok()
                .says("source s has the event time ts_ns (monotonic)");
        assertEquals(List.of("2026-11-21T02:43:19.999999999Z", "2026-11-21T02:43:20.000000001Z"), times());
        cli.run("source", "set", "s", "--event-time", "u", "--event-time-unit", "s")
                .ok()
                .says("source s has the event time u (wall, s)");
        assertEquals(List.of("1970-01-01T00:00:07.000000000Z", "1970-01-01T00:00:09.000000000Z"), times());
        assertEquals(1, times("--from", "8").size());
        assertTrue(cli.run("sources", "-o", "table").ok().out().contains("u (wall, s)"));
        cli.importText("s", "csv", "ts_ns,u\n1,8\n").ok();
        assertEquals(3, times().size());
        List<String> indexes = cli.run("index", "list").ok().lines();
        assertEquals(2, indexes.size());
        assertTrue(indexes.get(0).contains("\"closed\":true"), indexes.get(0));
    }

    @Test
    void shouldCorrectOnlyWhatIsNamed() {
        cli.importText("s", "csv", "ts_ns,u\n5001,7\n4999,9\n", "--event-time", "ts_ns", "--clock-pair", clockPair)
                .ok();
        List<String> before = times();
        set("--event-at", "start").says("source s has the event time ts_ns (monotonic, start)");
        assertEquals(before, times());
        set("--event-time-unit", "us").says("source s has the event time ts_ns (monotonic, us, start)");
        set("--event-time", "ts_ns").says("source s has the event time ts_ns (monotonic, us, start)");
        set("--event-clock", "monotonic").says("source s has the event time ts_ns (monotonic, us, start)");
        set("--event-clock", "wall").says("source s has the event time ts_ns (wall, us, start)");
        assertEquals("1970-01-01T00:00:00.004999000Z", times().get(0));
        set("--clock-pair", clockPair).says("source s has the event time ts_ns (monotonic, us, start)");
        set("--event-at", "end", "--event-time-unit", "auto").says("source s has the event time ts_ns (monotonic)");
        assertEquals(before, times());
    }

    private Cli.Result set(String... options) {
        List<String> arguments = new ArrayList<>(List.of("source", "set", "s"));
        arguments.addAll(List.of(options));
        return cli.run(arguments.toArray(String[]::new)).ok();
    }

    @Test
    void shouldRefuseToSetWhatMakesNoSense() {
        cli.importText("s", "csv", "t\n1\n").ok();
        cli.run("source", "set", "s", "--event-time", "u")
                .exit(2)
                .says("--event-time names an unknown field: u; format: struct:t:i64?");
        cli.run("source", "set", "s").exit(2).says("source has no event time: s; set its field with --event-time");
        cli.run("source", "set", "r", "--event-time", "t").exit(2).says("no open source: r");
        cli.run("source", "set", "s", "--event-time", "t", "--event-clock", "monotonic")
                .exit(2)
                .says("--event-clock monotonic needs --clock-pair, unless the input is - or a pipe");
    }

    /** Half-open ranges have a last moment all the same. */
    @Test
    void shouldFindTheGreatestTimeThatThereIs() {
        cli.importText("s", "jsonl", """
                        {"t":9223372036854775807}
                        {"t":9223372036854775806}
                        {"t":-9223372036854775807}
                        """, "--event-time", "t", "--event-clock", "wall")
                .ok();
        assertEquals(3, times().size());
        assertEquals(1, times("--from", "9223372036854775807").size());
        assertEquals(2, times("--from", "0").size());
        assertEquals(1, times("--to", "9223372036854775806").size());
    }

    @Test
    void shouldTellThatArrivalIsPaced() throws IOException {
        String file = Files.writeString(directory.resolve("a.csv"), "t\n1795229190\n1795229190\n")
                .toString();
        String err = cli.run("import", "--source", "s", "--format", "csv", "--event-time", "t", "--replay", file)
                .ok()
                .err();
        assertTrue(err.endsWith("; arrival times follow event times\n"), err);
    }
}
