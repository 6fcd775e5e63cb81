package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chromium.ChromiumNetworkConditions;

/**
 * The page in a real browser: each thing that one can do with it, by mouse and by keys. What it shows is compared with what the
 * command says. {@code -Dloom.pictures=write} makes the pictures of the guide.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PageTest {
    private static final String SAMPLES = "src/test/resources/";
    private static final String HOSTILE =
            "<img src=x onerror=\"document.title='owned'\"></script><script>document.title='owned'</script>";
    private static final String CANVAS = ".surface canvas";
    private static final String REQUESTS = "#view=explore&source=requests&field=latency_ns&time=event";

    /** The slowest request of the sample took 40,512,498 ns; all others less than a millisecond. */
    private static final String SLOWEST = "40512498";

    private Path temp;
    private Cli cli;
    private LoomServer server;
    private Browser browser;
    private String page;

    @BeforeAll
    void open(@TempDir Path folder) throws IOException {
        temp = folder;
        browser = Browser.start(1280, 1400, temp);
        cli = Cli.on(temp.resolve("store"));
        for (String source : List.of("requests", "syscalls")) {
            importFile(
                    source, "csv", "redis/" + source + ".csv", "ts_ns", "--clock-pair", SAMPLES + "redis/clock.json");
            cli.run("index", "add", source, "latency_ns", "--backfill").ok();
        }
        importFile("shop", "csv", "trace/spans.csv", "end");
        importFile("shop-logs", "jsonl", "trace/logs.jsonl", "time");
        Path app =
                Files.writeString(temp.resolve("app.log"), "all is well\n" + HOSTILE + "\nerror: timeout after 5s\n");
        cli.run("import", "--source", "app", "--format", "lines", app.toString())
                .ok();
        Path large =
                Files.writeString(temp.resolve("large.jsonl"), "{\"n\":9223372036854775807,\"m\":-9007199254740993}\n");
        cli.run("import", "--source", "large", "--format", "jsonl", large.toString())
                .ok();
        server = serve("store");
        page = "http://" + server.addresses().get("http") + "/";
    }

    private void importFile(String source, String format, String file, String time, String... more) {
        List<String> command =
                new ArrayList<>(List.of("import", "--source", source, "--format", format, "--event-time", time));
        command.addAll(List.of(more));
        command.add(SAMPLES + file);
        cli.run(command.toArray(String[]::new)).ok();
    }

    private LoomServer serve(String store) throws IOException {
        return LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(temp.resolve(store)).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
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

    private void showSlowest() {
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        browser.drag(CANVAS, 0.06, 0, 1, 0.1);
        browser.untilShown("#heatmap-said", "1 records");
    }

    /** JSON lines say at their end whether they are all; the page looks at it, as nobody does in a file. */
    @Test
    void shouldSayThatASavedAnswerIsIncomplete() {
        show("");
        Object said = browser.run("""
                return (async () => {
                  const {download} = await import('./page/api.js');
                  const asked = window.fetch;
                  const said = [];
                  for (const end of ['{"end":{"complete":true}}\\n', '{"end":{"complete":false}}\\n', '{"error":{"code":"c","message":"m"}}\\n', '{"e']) {
                    window.fetch = async () => new Response('{"n":1}\\n' + end);
                    try {
                      await download('scan', {}, 'application/jsonl', 'saved.jsonl');
                      said.push('whole');
                    } catch (error) {
                      said.push(error.message);
                    }
                  }
                  window.fetch = asked;
                  return said;
                })();
                """);
        assertEquals(
                List.of(
                        "whole",
                        "the file is incomplete, as its last line says",
                        "the file is incomplete: m",
                        "the file is incomplete: the answer broke off"),
                said);
    }

    @Test
    void shouldShowAllSourcesAndOpenOneByKeys() throws IOException {
        show("");
        browser.untilShown("table[aria-label=sources]", "requests");
        browser.untilShown("#health", "healthy");
        browser.untilShown("table[aria-label=sources]", "event-time, latency_ns");
        List<String> rows = browser.table("sources");
        assertEquals(6, rows.size(), rows.toString());
        assertTrue(rows.get(0).startsWith("requests|650|"), rows.get(0));
        assertTrue(rows.get(0).contains("|event-time, latency_ns|"), rows.get(0));
        assertTrue(rows.get(1).startsWith("syscalls|1,958|"), rows.get(1));
        browser.picture("overview");
        browser.run("document.querySelector('table[aria-label=sources] tbody tr').focus()");
        browser.keys(Keys.ARROW_DOWN, Keys.ENTER);
        browser.until("syscalls are shown", () -> browser.driver.getCurrentUrl().contains("source=syscalls"));
        browser.untilShown(".heatmap .outcome", "complete");
    }

    @Test
    void shouldFindTheSlowestRequestAndItsCauseByMouse() throws IOException {
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        browser.untilShown("#heatmap-said", "650 values");
        browser.untilShown("#heatmap-said", "Drag");
        browser.drag(CANVAS, 0.06, 0, 1, 0.1);
        browser.untilShown("#heatmap-said", "1 records");
        browser.untilShown("table[aria-label=records]", SLOWEST);
        assertEquals(1, browser.table("records").size());
        browser.click("table[aria-label=records] tbody tr");
        browser.untilShown(".correlated", "during its 40.5ms");
        browser.untilShown(".lane-name", "syscalls 12");
        browser.driver
                .findElement(By.xpath("//div[@class='lane'][.//b[text()='syscalls']]//button[text()='as table']"))
                .click();
        browser.until("12 calls", () -> browser.table("records of syscalls").size() == 12);
        // read, epoll_wait after the planted fsync: the call that took the time is in the lane to the nanosecond
        assertTrue(
                browser.table("records of syscalls").stream().anyMatch(row -> row.contains("40122820")),
                () -> browser.table("records of syscalls").toString());
        browser.picture("drill-down");
        List<String> calls = cli.run(
                        "correlate",
                        "requests",
                        "latency_ns",
                        "--above",
                        "20ms",
                        "--with",
                        "syscalls",
                        "--overlap",
                        "latency_ns,latency_ns",
                        "--time",
                        "event",
                        "-o",
                        "json")
                .ok()
                .lines();
        assertEquals(12, calls.size());
    }

    @Test
    void shouldSelectRefineAndUndoByKeys() {
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        browser.keys("h");
        browser.keys(Keys.ARROW_UP); // the last column's top bin
        browser.untilShown("#heatmap-said", "records");
        for (int i = 0; i < 200 && !browser.text("#heatmap-said").contains("40"); i++) {
            browser.keys(Keys.ARROW_UP);
        }
        for (int i = 0; i < 300 && !browser.text("#heatmap-said").endsWith(" 1 records"); i++) {
            browser.shifted(Keys.ARROW_LEFT);
        }
        browser.keys(Keys.ENTER);
        browser.untilShown("table[aria-label=records]", SLOWEST);
        String first = browser.driver.getCurrentUrl();
        browser.keys("z");
        browser.untilShown("#heatmap-said", "1 values");
        assertTrue(browser.driver.getCurrentUrl().contains("where="), browser.driver.getCurrentUrl());
        browser.keys("u");
        browser.until("undone", () -> first.equals(browser.driver.getCurrentUrl()));
        browser.keys(Keys.ESCAPE);
        browser.untilShown("#heatmap-said", "650 values");
        browser.keys("4");
        browser.untilShown("table[aria-label=percentiles]", "p99.9");
    }

    @Test
    void shouldRefineASelectionByAnother() {
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        browser.drag(CANVAS, 0.06, 0, 1, 0.92);
        browser.untilShown("#heatmap-said", "650 records");
        browser.drag(CANVAS, 0.06, 0.3, 0.5, 0.92);
        browser.until("fewer", () -> !browser.text("#heatmap-said").contains("650 records"));
        String selected = browser.text("#heatmap-said");
        browser.click("#undo");
        browser.untilShown("#heatmap-said", "650 records");
        Matcher count = Pattern.compile("([\\d,]+) records").matcher(selected);
        assertTrue(count.find(), selected);
        int counted = Integer.parseInt(count.group(1).replace(",", ""));
        assertTrue(counted > 0 && counted < 650, selected);
        browser.run("history.forward()");
        browser.click("#tab-percentiles");
        browser.untilShown("#panel .hint", count.group(1) + " values"); // the operator counts what the picture counts
    }

    @Test
    void shouldTellWhatDiffersAboutASlowCall() throws IOException {
        show("#view=explore&source=syscalls&field=latency_ns&time=event");
        browser.untilShown(".heatmap .outcome", "complete");
        browser.drag(CANVAS, 0.06, 0, 1, 0.05);
        browser.untilShown("#heatmap-said", "1 records");
        browser.click("#tab-differs");
        browser.untilShown("table[aria-label=differences]", "syscall == 230"); // clock_nanosleep, which was planted
        assertTrue(
                browser.table("differences").get(0).startsWith("syscall == 230|100 %|0.0 %|"),
                browser.table("differences")::toString);
        browser.picture("differs");
        browser.click("table[aria-label=differences] tbody tr");
        browser.untilShown(".condition", "syscall == 230");
    }

    /** Of a source by its own times nobody knows the range if a condition leaves nothing of it. */
    @Test
    void shouldSayThatAConditionLeavesNothing() {
        show("#view=explore&source=syscalls&field=latency_ns&time=event&where=latency_ns+%3C+0");
        browser.untilShown(".heatmap", "no values in this range");
        browser.untilShown(".heatmap .outcome", "complete");
    }

    /** The records that the picture shows, and no others, are compared, those at the upper edge of a bin among them. */
    @Test
    void shouldCompareTheSelectionWithTheRestOfThePicture() {
        show(REQUESTS + "&where=op+%3D%3D+%22GET%22");
        browser.untilShown(".heatmap .outcome", "complete");
        browser.drag(CANVAS, 0.06, 0, 1, 0.5);
        browser.untilShown("#heatmap-said", " records");
        long selected = number(browser.text("#heatmap-said b"));
        browser.click("#tab-differs");
        browser.untilShown("#panel .hint", " selected records against ");
        String compared = browser.text("#panel .hint");
        assertEquals(selected, number(compared.substring(0, compared.indexOf(" selected"))), compared);
        assertTrue(selected > 0, compared);
    }

    private static long number(String text) {
        return Long.parseLong(text.replaceAll("\\D", ""));
    }

    @Test
    void shouldFilterByValues() {
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        browser.click("#tab-facets");
        browser.untilShown(".facets", "op");
        browser.driver
                .findElement(By.xpath("//button[@class='facet'][text()='op']"))
                .click();
        browser.untilShown(".facets", "GET");
        browser.click("button[aria-label='only op GET']");
        browser.untilShown(".condition", "op == \"GET\"");
        browser.until("only GET is left", () -> browser.all(".facets li").size() == 1);
        browser.click("button[aria-label='not op GET']");
        browser.until("none is left", () -> browser.all(".facets li").isEmpty());
        browser.click(".condition button");
        browser.until("one condition is left", () -> browser.all(".condition").size() == 1);
    }

    @Test
    void shouldShowARecordAsAWholeAndItsNeighbours() {
        showSlowest();
        browser.click("table[aria-label=records] tbody tr");
        browser.untilShown(".detail", "key:085509");
        assertTrue(browser.text(".detail .copied code").contains("\"latency_ns\":" + SLOWEST), browser.text(".detail"));
        browser.click("#around");
        browser.until(
                "neighbours", () -> browser.table("records before and after").size() == 21);
        List<String> rows = browser.table("records before and after");
        assertEquals(rows.stream().sorted().toList(), rows); // by time
        assertTrue(rows.get(10).contains(SLOWEST), rows.get(10));
        browser.click("details.columns summary");
        browser.driver
                .findElement(By.xpath("//details//label[contains(., 'key')]/input"))
                .click();
        browser.until("no keys", () -> browser.table("records").stream().noneMatch(row -> row.contains("key:")));
        browser.click("#close-record");
        browser.until("closed", () -> browser.all(".detail").isEmpty());
    }

    @Test
    void shouldShowTheLargestFirst() {
        show(REQUESTS + "&order=top");
        browser.untilShown("table[aria-label=records]", SLOWEST);
        assertTrue(browser.table("records").get(0).contains(SLOWEST));
        assertEquals(100, browser.table("records").size());
    }

    @Test
    void shouldShowTheWaterfallOfATrace() throws IOException {
        show("#view=traces");
        browser.untilShown("table[aria-label=traces]", "5b8efff798038103d269b633813fc60c");
        browser.driver
                .findElement(By.linkText("5b8efff798038103d269b633813fc60c"))
                .click();
        browser.untilShown("main .hint", "7 spans, 2 logs");
        assertEquals(10, browser.all(".waterfall li").size()); // one is the place of a missing span
        assertTrue(browser.all(".waterfall li.failed").size() >= 3);
        browser.picture("trace");
        browser.run("document.querySelector('.waterfall button').focus()");
        browser.keys(Keys.ARROW_DOWN, Keys.ENTER);
        browser.untilShown(".waterfall dl", "span_id");
    }

    @Test
    void shouldSearchWithCountsOverTime() {
        show("#view=explore&source=app&tab=search");
        browser.find("#q").sendKeys("timeout", Keys.ENTER);
        browser.untilShown("table[aria-label='matching records']", "error: timeout after 5s");
        browser.untilShown("#panel .hint", "1 records");
        assertEquals(1, browser.table("matching records").size());
        browser.until("a line is drawn", () -> browser.all(".lines canvas").size() == 1);
    }

    /** As any answer does that arrives, the theme draws the view again. */
    @Test
    void shouldKeepWhatIsBeingTyped() {
        String flip = "const before = document.documentElement.dataset.theme; document.getElementById('theme').click();"
                + " return new Promise(done => { const look = () =>"
                + " document.documentElement.dataset.theme !== before ? done() : setTimeout(look, 10); look(); })";
        for (String field : List.of("#view=traces input[name=service]", "#view=explore&source=app&tab=search #q")) {
            int space = field.indexOf(' ');
            show(field.substring(0, space));
            WebElement input = browser.find(field.substring(space));
            input.sendKeys("time");
            browser.run(flip);
            input.sendKeys("out");
            browser.run(flip);
            assertEquals("timeout", input.getDomProperty("value"));
            input.sendKeys(Keys.ENTER);
            browser.until(
                    "asked",
                    () -> String.valueOf(browser.run("return location.hash")).contains("=timeout"));
            browser.run("history.back()");
            browser.until("undone", () -> "".equals(input.getDomProperty("value")));
        }
    }

    @Test
    void shouldShowPercentilesGroupsAndSteps() throws IOException {
        show(REQUESTS + "&tab=percentiles");
        browser.untilShown("table[aria-label=percentiles]", "p99.9");
        assertTrue(
                browser.table("percentiles").contains("p99.9|40.5ms|40,512,498"),
                browser.table("percentiles")::toString);
        assertTrue(browser.table("percentiles").contains("p50|86.6µs|86,629"), browser.table("percentiles")::toString);
        List<String> order = browser.table("percentiles").stream()
                .map(row -> row.substring(0, row.indexOf('|')))
                .filter(name -> name.matches("p[0-9.]+"))
                .toList();
        assertEquals(List.of("p0", "p25", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "p100"), order);
        show(REQUESTS + "&tab=groups&by=op&measure=p99");
        browser.untilShown("table[aria-label='groups and steps']", "GET");
        browser.untilShown(".u-legend", "SET");
        browser.picture("groups");
        long get = browser.table("groups and steps").stream()
                .filter(row -> row.contains("|GET|"))
                .mapToLong(row -> Long.parseLong(row.split("\\|", -1)[2]))
                .sum();
        assertEquals(506, get);
    }

    @Test
    void shouldKeepEverythingInTheAddress() {
        showSlowest();
        String address = browser.driver.getCurrentUrl();
        String said = browser.text("#heatmap-said");
        browser.open(address);
        browser.untilShown("#heatmap-said", said);
        browser.untilShown("table[aria-label=records]", SLOWEST);
    }

    @Test
    void shouldSayTheCommandThatGivesTheSame() {
        showSlowest();
        browser.click("#panel .outcome .command button");
        String command = browser.find("#panel .outcome .copied code").getText();
        assertTrue(command.startsWith("loom scan requests "), command);
        List<String> words = words(command);
        assertTrue(
                cli.run(words.subList(1, words.size()).toArray(String[]::new))
                        .ok()
                        .out()
                        .contains(SLOWEST),
                command);
    }

    /** The words of a shell's command line. */
    private static List<String> words(String command) {
        Matcher word = Pattern.compile("'((?:[^']|'\\\\'')*)'|(\\S+)").matcher(command);
        List<String> words = new ArrayList<>();
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1).replace("'\\''", "'"));
        }
        return words;
    }

    @Test
    void shouldSaveAnAnswer() {
        showSlowest();
        browser.click("#panel .export button");
        Path file = temp.resolve("requests.jsonl");
        browser.until("saved", () -> Files.exists(file));
        browser.until("whole", () -> read(file).contains("\"end\""));
        assertTrue(read(file).contains(SLOWEST), read(file));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    void shouldRunNoScriptOfARecordAndRoundNoNumber() {
        show("#view=explore&source=app");
        browser.untilShown("table[aria-label=records]", HOSTILE);
        browser.click("table[aria-label=records] tbody tr:nth-child(2)");
        browser.untilShown(".detail", "onerror");
        assertTrue(browser.driver.getTitle().startsWith("Loom: "), browser.driver.getTitle());
        show("#view=explore&source=large");
        browser.untilShown("table[aria-label=records]", "9223372036854775807");
        browser.untilShown("table[aria-label=records]", "-9007199254740993");
    }

    /** A window can't be as narrow as a telephone. */
    private void setWidth(int width) {
        browser.driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 1400, "deviceScaleFactor", 1, "mobile", false));
    }

    @Test
    void shouldFitAnyWidthInDarkAndInLight() throws IOException {
        for (int width : new int[] {320, 1280, 3840}) {
            setWidth(width);
            for (String address : List.of("", REQUESTS, REQUESTS + "&tab=groups&by=op", "#view=traces")) {
                show(address);
                browser.untilShown(".outcome", "complete");
                browser.until(
                        "fits: " + width + " " + address,
                        () -> Boolean.TRUE.equals(
                                browser.run("return document.documentElement.scrollWidth <= innerWidth")));
            }
        }
        browser.driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        show(REQUESTS);
        browser.untilShown(".heatmap .outcome", "complete");
        Object before = browser.run("return getComputedStyle(document.body).backgroundColor");
        browser.keys("t");
        browser.until(
                "another colour",
                () -> !before.equals(browser.run("return getComputedStyle(document.body).backgroundColor")));
        browser.picture("heatmap");
        browser.keys("t");
    }

    @Test
    void shouldLoadNothingFromElsewhere() {
        showSlowest();
        Object names = browser.run("return performance.getEntriesByType('resource').map(each => each.name)");
        assertTrue(
                names instanceof List<?> list
                        && list.stream().allMatch(name -> name.toString().startsWith(page)),
                names::toString);
    }

    @Test
    void shouldBeUsableFarAway() {
        ChromiumNetworkConditions far = new ChromiumNetworkConditions();
        far.setLatency(Duration.ofSeconds(1));
        far.setDownloadThroughput(200_000);
        far.setUploadThroughput(200_000);
        browser.driver.setNetworkConditions(far);
        try {
            show(REQUESTS);
            browser.untilShown(".heatmap .outcome", "complete");
            browser.drag(CANVAS, 0.06, 0, 1, 0.1);
            browser.untilShown("table[aria-label=records]", SLOWEST);
        } finally {
            browser.driver.deleteNetworkConditions();
        }
    }

    /** Also none that is given up: the server would have begun to work for it. */
    @Test
    void shouldAskForAHeatmapOnce() {
        Map<String, Object> listening = browser.driver.executeCdpCommand(
                "Page.addScriptToEvaluateOnNewDocument",
                Map.of(
                        "source",
                        "window.asked = []; const fetched = fetch;"
                                + " window.fetch = (path, how) => { asked.push(how.body); return fetched(path, how); };"));
        setWidth(3840);
        try {
            show(REQUESTS);
            browser.untilShown(".heatmap .outcome", "complete");
            Object pictures = browser.run("return asked.filter(body => body.includes('\"by\":[\"value\",\"time\"]'))");
            assertEquals(1, ((List<?>) pictures).size(), pictures::toString);
        } finally {
            browser.driver.executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", listening);
            browser.driver.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        }
    }
}
