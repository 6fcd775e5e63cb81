package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.cli.Cli;
import dev.loom.format.StructCodec;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.where.Quantity;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.time.TimeText;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * One record in the page, where it is easily taken for another: among hundreds of the same time, of a clock that began when the machine
 * did, stamped with its start, or of a source whose name another one had.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PageRecordTest {
    /** As many records as a lane may have, and more, all at five seconds. */
    private static final int CALLS = 600;

    private static final String CALLS_BY_EVENT = "#view=explore&source=calls&field=latency_ns&time=event";

    @SuppressWarnings("ArrayRecordComponent") // a field of bytes is one
    private record Blob(byte[] data, long n, double share) {}

    private record Timed(long latencyNs) {}

    private Path temp;
    private Cli cli;
    private LoomServer server;
    private Browser browser;
    private String page;

    @BeforeAll
    void open(@TempDir Path folder) throws IOException {
        temp = folder;
        browser = Browser.start(1280, 1400, temp);
        cli = Cli.onSmallStore(temp.resolve("store"));
        importRows(
                "calls",
                "ts_ns,latency_ns,n",
                IntStream.range(0, CALLS).mapToObj(i -> "5000000000," + (1000 + i) + ',' + i));
        importRows("inner", "ts_ns,latency_ns,n", IntStream.range(0, 3).mapToObj(i -> "4999999999,5," + i));
        importRows(
                "started",
                "ts_ns,latency_ns,n",
                Stream.of("6000000000,2000000,0", "6001000000,500000,1"),
                "--event-at",
                "start");
        importRows("moments", "ts_ns,n", Stream.of("5999500000,0", "6000500000,1", "6001000000,2", "6002500000,3"));
        importRows("begun", "ts_ns,latency_ns", Stream.of("6001000000,800000"), "--event-at", "start");
        for (String source : List.of("calls", "inner", "started", "begun")) {
            cli.run("index", "add", source, "latency_ns", "--backfill").ok();
        }
        importRows("unknown", "ts_ns,latency_us,n", Stream.of("5000000000," + Long.MAX_VALUE + ",0"));
        importRows("endless", "ts_ns,latency_s,n", Stream.of("5000000000,1e300,0"));
        Path notes = Files.writeString(temp.resolve("notes.log"), "all is well\nhardly a word\n");
        cli.run("import", "--source", "notes", "--format", "lines", notes.toString())
                .ok();
        define();
        server = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(temp.resolve("store")).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
        page = "http://" + server.addresses().get("http") + "/";
    }

    private void importRows(String source, String header, Stream<String> rows, String... more) throws IOException {
        Path file = Files.writeString(
                temp.resolve(source + ".csv"), header + '\n' + String.join("\n", rows.toList()) + '\n');
        List<String> command = new ArrayList<>(List.of("import", "--source", source, "--format", "csv"));
        command.addAll(List.of("--event-time", "ts_ns", "--event-clock", "wall", file.toString()));
        command.addAll(List.of(more));
        cli.run(command.toArray(String[]::new)).ok();
    }

    /** Sources that no import makes. */
    private void define() {
        StructCodec<Blob> blobs = StructCodec.of(Blob.class, MethodHandles.lookup());
        StructCodec<Timed> timed = StructCodec.of(Timed.class, MethodHandles.lookup());
        try (Loom loom = Loom.open(LoomConfig.at(temp.resolve("store")).build())) {
            loom.push(
                    loom.defineSource("blobs", blobs.format()),
                    blobs,
                    new Blob(new byte[] {1, 2, 3}, 7, Double.POSITIVE_INFINITY));
            int closed = loom.defineSource("twice", timed.format());
            loom.defineIndex(closed, "of-closed", IndexFunction.field(timed.format(), "latency_ns"), Bins.logLinear());
            loom.push(closed, timed, new Timed(1));
            loom.closeSource(closed);
            loom.push(loom.defineSource("twice", timed.format()), timed, new Timed(2));
        }
    }

    @AfterEach
    void shouldNotHaveComplained() {
        assertEquals(List.of(), browser.complaints());
    }

    @AfterAll
    void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private void show(String address) {
        browser.open(page + address);
    }

    /** The page's address of the record of a number. */
    private String record(String source, int n) {
        Matcher address = Pattern.compile("\"addr\":(\\d+)")
                .matcher(cli.run("scan", source, "--where", "n == " + n, "-o", "json")
                        .ok()
                        .out());
        assertTrue(address.find());
        return "&record=" + source + '@' + address.group(1);
    }

    /** What a function of the page's files returns, as JSON with integers as texts. */
    private Object call(String file, String call) {
        return browser.run("return import('/page/" + file + "').then(file => JSON.stringify(file." + call
                + ", (key, each) => typeof each === 'bigint' ? String(each) : each))");
    }

    private void untilLane(String name) {
        browser.until(
                "lane " + name + " is among "
                        + browser.all(".lane-name").stream()
                                .map(each -> each.getText())
                                .toList(),
                () -> browser.all(".lane-name").stream()
                        .anyMatch(each -> each.getText().equals(name)));
    }

    /** Others of the same time have greater values, and matches of their own. */
    @Test
    void shouldShowWhatHappenedDuringOneOfManyRecordsOfATime() {
        show(CALLS_BY_EVENT + record("calls", 0));
        browser.untilShown(".detail .axis", "1970-01-01T00:00:04.999999000Z");
        untilLane("inner 3");
    }

    @Test
    void shouldShowTheNeighboursOfOneOfManyRecordsOfATime() {
        for (String clock : List.of("", "&time=event")) {
            show("#view=explore&source=calls" + clock + record("calls", 300));
            browser.click("#around");
            browser.until(
                    "neighbours",
                    () -> browser.table("records before and after").size() == 21);
            List<String> rows = browser.table("records before and after");
            assertEquals(
                    IntStream.rangeClosed(290, 310)
                            .mapToObj(n -> (1000 + n) + "|" + n)
                            .toList(),
                    rows.stream()
                            .map(row -> row.replaceAll("^.*\\|(\\d+\\|\\d+)$", "$1"))
                            .toList(),
                    rows.toString());
        }
    }

    @Test
    void shouldDrawRecordsFromTheirStart() {
        show("#view=explore&source=started&field=latency_ns&time=event" + record("started", 0));
        browser.untilShown(".detail .axis", "1970-01-01T00:00:06.000000000Z");
        untilLane("moments 2");
        untilLane("begun 1");
        String rows = "[{ts: 6001000000n, fields: {latency_ns: 800000}}]";
        String source = "{event_at: 'start', indexes: [{field: 'latency_ns', kind: 'value'}]}";
        String bars = (String) call("correlate.js", "packed(" + rows + ", " + source + ", {time: 'event'})");
        assertTrue(bars.contains("\"begin\":\"6001000000\",\"end\":\"6001800000\""), bars);
    }

    @Test
    void shouldSelectTimesSinceTheMachineStarted() {
        show(CALLS_BY_EVENT + "&selfrom=4999999999&selto=5000000001");
        browser.until("records", () -> browser.table("records").size() == 100);
        browser.click("#tab-differs");
        browser.untilShown("#panel .hint", "600 selected records against 0 others");
        browser.keys("z");
        browser.untilShown("#heatmap-said", "600 values");
        assertTrue(
                Objects.requireNonNull(browser.driver.getCurrentUrl())
                        .contains("from=1970-01-01T00%3A00%3A04.999999999Z"),
                browser.driver.getCurrentUrl());
        for (String nanos : List.of("-1500000001", "0", "1795229196440121559")) {
            assertEquals('"' + nanos + '"', call("format.js", "nanosAt(file.time('" + nanos + "'))"));
        }
        assertEquals("\"1969-12-31T23:59:58.499999999Z\"", call("format.js", "time('-1500000001')"));
    }

    /** Its rows have the times of their arrival. */
    @Test
    void shouldOpenARecordOfTheTailByItsOwnTime() {
        show(CALLS_BY_EVENT + "&tab=tail&selfrom=1&selto=2"); // nothing is selected, so that no other table has it
        browser.until("records", () -> browser.table("newest records").size() == 20);
        browser.click("table[aria-label='newest records'] tbody tr:nth-child(4)");
        browser.untilShown(".detail h3", "calls at 1970-01-01T00:00:05.000000000Z");
        browser.untilShown(".detail dl", "596");
    }

    /** What stands for an unknown duration, or can't be one. */
    @Test
    void shouldShowRecordsWhoseDurationsAreNone() {
        for (String source : List.of("unknown", "endless")) {
            show("#view=explore&source=" + source + record(source, 0));
            browser.untilShown(".detail", "The record has no duration");
        }
        for (String value : List.of("9223372036854775807n", "1e300", "-5", "NaN")) {
            String rows = "[{ts: 5n, fields: {latency_us: " + value + "}}]";
            String source = "{indexes: [{field: 'latency_us', kind: 'value'}]}";
            String bars = (String) call("correlate.js", "packed(" + rows + ", " + source + ", {time: ''})");
            assertTrue(bars.contains("\"begin\":\"5\",\"end\":\"5\""), bars);
        }
    }

    @Test
    void shouldShowWhatALinkSaysAsTheServerReadsIt() {
        browser.driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", "America/New_York"));
        try {
            show("#view=explore&source=notes&tab=groups&since=1d12h&selfrom=5");
            browser.untilShown("#panel .outcome", "complete");
            browser.untilShown("#since option:checked", "1d12h");
            for (String[] time : new String[][] {
                {"5", "5000000000"},
                {"1795229196", "1795229196000000000"},
                {"-1795229196440", "-1795229196440000000"},
                {"1795229196440121559", "1795229196440121559"},
                {"-0.5", "-500000000"},
                {"2026-11-21", "1795219200000000000"},
                {"2026-11-21T02:46", "1795229160000000000"},
                {"2026-11-21 02:46:36.44", "1795229196440000000"},
                {"2026-11-21t03:46:36.440121559+01:00", "1795229196440121559"},
            }) {
                assertEquals('"' + time[1] + '"', call("format.js", "nanosAt('" + time[0] + "')"), time[0]);
                assertEquals(
                        Long.parseLong(time[1]), TimeText.parse(time[0].replace('t', 'T'), 0, ZoneOffset.UTC), time[0]);
            }
            for (String none : List.of("", "now-5m", "5.", "tomorrow", "2026-11")) {
                assertEquals("null", call("format.js", "nanosAt('" + none + "')"), none);
            }
            for (String length : List.of("30s", "1h30m", "1.5ms", "7us", "2d")) {
                assertEquals(
                        '"' + String.valueOf(Quantity.duration(length).toNanos()) + '"',
                        call("format.js", "nanosIn('" + length + "')"));
            }
            for (String none : List.of("", "5", "s", "1.2.3s", "9".repeat(400) + "s")) {
                assertEquals("null", call("format.js", "nanosIn('" + none + "')"), none);
            }
        } finally {
            browser.driver.executeCdpCommand("Emulation.setTimezoneOverride", Map.of("timezoneId", ""));
        }
    }

    @Test
    void shouldSayThatARecordIsNotThere() {
        show(CALLS_BY_EVENT + "&record=calls@1");
        browser.untilShown("#panel", "The source has no such record");
    }

    @Test
    void shouldSayWhatTheTailLeavesOut() {
        show("#view=explore&source=notes&tab=tail&q=well");
        browser.until("the note", () -> browser.table("newest records").size() == 1);
        browser.untilShown("#panel .condition", "well");
        browser.click("#panel .condition button");
        browser.until("all notes", () -> browser.table("newest records").size() == 2);
    }

    /** The first one here ends, as it doesn't follow. */
    @Test
    void shouldSayThatATailEndedAndBeginAnother() {
        show("#view=explore&source=notes");
        browser.untilShown("table[aria-label=records]", "all is well");
        browser.run(
                "const asked = fetch; window.fetch = (path, how) => asked(path,"
                        + " {...how, body: window.ended ? how.body : how.body.replace('\"follow\":true', '\"follow\":false')})");
        browser.click("#tab-tail");
        browser.untilShown("#panel", "ended");
        assertEquals("", browser.text("#unseen"));
        browser.run("window.ended = true");
        browser.keys("r");
        browser.untilShown("#unseen", "live");
        browser.until("both notes", () -> browser.table("newest records").size() == 2);
    }

    /** As the server says it between records. */
    @Test
    void shouldSayWhatATailMissed() {
        show("#view=explore&source=notes");
        browser.untilShown("table[aria-label=records]", "all is well");
        String lines = "{\"missing\":{\"lost\":3,\"damaged_pages\":0,\"expired\":false}}\\n"
                + "{\"ts\":1,\"fields\":{\"line\":\"it goes on\"}}\\n"
                + "{\"missing\":{\"lost\":0,\"damaged_pages\":2,\"expired\":true}}\\n"
                + "{\"missing\":{\"lost\":0,\"damaged_pages\":1,\"expired\":false}}\\n"
                + "{\"end\":{\"lost\":3}}\\n";
        browser.run("window.asked = fetch; window.fetch = (path, how) =>"
                + " path === 'v1/tail' ? Promise.resolve(new Response('" + lines + "')) : asked(path, how)");
        browser.click("#tab-tail");
        browser.untilShown("#missing", "incomplete: 3 damaged pages, the oldest were deleted meanwhile");
        browser.until("one record", () -> browser.table("newest records").size() == 1);
        browser.run("window.fetch = asked");
        browser.keys("r");
        browser.until("both notes", () -> browser.table("newest records").size() == 2);
        assertEquals(List.of(), browser.all("#missing"));
    }

    @Test
    void shouldTellAClosedSourceFromTheOpenOneOfItsName() {
        show("");
        browser.untilShown("table[aria-label=sources]", "of-closed");
        List<String> rows = browser.table("sources").stream()
                .filter(row -> row.startsWith("twice"))
                .toList();
        assertEquals(2, rows.size(), rows.toString());
        for (String row : rows) {
            assertEquals(row.startsWith("twice (closed)|"), row.contains("of-closed"), row);
        }
        String lost = "[{name: 'twice', id: 1, closed: true, lost: 9}, {name: 'twice', id: 2, lost: 1}]";
        assertEquals("1", call("search.js", "lostOf(" + lost + ", 'twice')"));
        assertEquals("9", call("search.js", "lostOf(" + lost + ", '#1')"));
    }

    /** JSON has bytes as Base64, and numbers that it lacks as texts. */
    @Test
    void shouldOfferNoConditionThatWouldMissTheRecord() {
        show("#view=explore&source=blobs");
        browser.click("table[aria-label=records] tbody tr");
        browser.until(
                "types are known",
                () -> browser.all(".detail dl button[title='only these']").size() == 1);
        browser.click(".detail dl button[title='only these']");
        browser.untilShown(".condition", "n == 7");
        browser.click("#tab-facets");
        browser.untilShown(".facets", "data");
        browser.click(".facets section[aria-label='values of data'] button");
        browser.untilShown(".facets section[aria-label='values of data']", "AQID");
        assertEquals(
                0,
                browser.all(".facets section[aria-label='values of data'] li button")
                        .size());
        assertEquals("\"x == 9.007199254740992e+15\"", call("state.js", "equalTo('x', 2 ** 53)"));
    }

    @Test
    void shouldSayCommandsThatAShellReadsAsTheyAre() {
        show("");
        assertEquals("\"loom scan '#4' --limit 1\"", call("command.js", "command('scan', {source: '#4', limit: 1})"));
        assertEquals(
                "\"loom search --limit 1 -- notes -word\"",
                call("command.js", "command('search', {source: 'notes', query: '-word', limit: 1})"));
        cli.run("search", "--limit", "1", "--", "notes", "-word").ok();
        assertEquals(
                "\"loom scan calls --where='-n > -2'\"",
                call("command.js", "command('scan', {source: 'calls', where: ['-n > -2']})"));
        assertEquals(
                2,
                cli.run("scan", "calls", "--where=-n > -2", "-o", "json")
                        .ok()
                        .lines()
                        .size());
    }
}
