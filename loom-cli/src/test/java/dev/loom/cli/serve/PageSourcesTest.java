package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/** The page in a real browser, over sources whose names and values are odd, and a server that answers late. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class PageSourcesTest {
    private static final String CANVAS = ".surface canvas";

    /** The colour of the first pixel, from the left, of a row of the picture that has one; the labels are left out. */
    private static final String COLOUR = "const canvas = document.querySelector('.surface canvas');"
            + "const row = canvas.getContext('2d').getImageData(62, arguments[0], canvas.width - 62, 1).data;"
            + "for (let i = 0; i < row.length; i += 4) if (row[i + 3] > 200) return row.slice(i, i + 3).join(' ');"
            + "return '';";

    private LoomServer server;
    private Browser browser;
    private String page;

    @BeforeAll
    void open(@TempDir Path temp) throws IOException {
        browser = Browser.start(1280, 1400, temp);
        Cli cli = Cli.on(temp.resolve("store"));
        for (String source : List.of("requests", "syscalls")) {
            cli.importSample(source);
            cli.run("index", "add", source, "latency_ns", "--backfill").ok();
        }
        Path bits = Files.writeString(temp.resolve("bits.csv"), "n,d\n" + "0,1.5\n".repeat(50) + "1,Infinity\n");
        cli.run("import", "--source", "bits", "--format", "csv", bits.toString())
                .ok();
        StringBuilder outliers = new StringBuilder("indexed,plain\n");
        for (String value : List.of(
                "-Infinity", "-1e9", "0.5", "1.5", "7", "1.152921504606846976E18", "1e300", "Infinity", "NaN")) {
            outliers.append(value).append(',').append(value).append('\n');
        }
        Path infinite = Files.writeString(temp.resolve("outliers.csv"), outliers);
        cli.run("import", "--source", "outliers", "--format", "csv", infinite.toString())
                .ok();
        cli.run("index", "add", "outliers", "indexed", "--bins", "edges:0,1,2", "--backfill")
                .ok();
        Path tty = Files.writeString(temp.resolve("tty.log"), "login\n");
        cli.run("import", "--source", "getty@tty1", "--format", "lines", tty.toString())
                .ok();
        Path paths = Files.writeString(temp.resolve("paths.csv"), "path\nC:\\bin\\foo\nD\n");
        cli.run("import", "--source", "paths", "--format", "csv", paths.toString())
                .ok();
        Path tags = Files.writeString(temp.resolve("tags.jsonl"), "{\"tags\":[\"a\"],\"k\":1}\n");
        cli.run("import", "--source", "tags", "--format", "jsonl", tags.toString())
                .ok();
        cli.run(
                        "import",
                        "--source",
                        "shop-logs",
                        "--format",
                        "jsonl",
                        "--event-time",
                        "time",
                        "src/test/resources/trace/logs.jsonl")
                .ok();
        Path doubles = Files.writeString(temp.resolve("doubles.csv"), "d\n" + "1.0\n".repeat(50) + "1.5\n");
        cli.run("import", "--source", "doubles", "--format", "csv", doubles.toString())
                .ok();
        server = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(temp.resolve("store")).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
        page = "http://" + server.addresses().get("http") + "/";
    }

    @AfterEach
    void shouldNotHaveComplained() {
        // it would rather have the pictures elsewhere, for this test's sake
        assertEquals(
                List.of(),
                browser.complaints().stream()
                        .filter(each -> !each.contains("willReadFrequently"))
                        .toList());
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

    @Test
    void shouldDrawTheCellsOfSmallIntegers() {
        show("#view=explore&source=bits&field=n");
        browser.untilShown(".heatmap .outcome", "complete");
        Object ones = browser.run(COLOUR, 30);
        Object zeros = browser.run(COLOUR, 270);
        assertNotEquals("", ones);
        assertNotEquals("", zeros);
        assertNotEquals(ones, zeros);
        // within the cell of 1
        browser.drag(CANVAS, 0.06, 0.1, 1, 0.12);
        browser.untilShown("#heatmap-said", " 1 records");
    }

    /** A bin of doubles ends with its greatest value, be that 1. */
    @Test
    void shouldSelectDoublesByWhereTheyAre() {
        show("#view=explore&source=doubles&field=d");
        browser.untilShown(".heatmap .outcome", "complete");
        browser.drag(CANVAS, 0.06, 0, 1, 0.3);
        browser.untilShown("#heatmap-said", " 1 records");
    }

    @Test
    void shouldDrawWhatIsInfinite() {
        show("#view=explore&source=bits&field=d");
        browser.untilShown(".heatmap .outcome", "complete");
        browser.untilShown("#heatmap-said", "51 values");
        assertNotEquals(
                "",
                browser.run("for (let y = 0; y < 296; y++) { const c = (y => {" + COLOUR.replace("arguments[0]", "y")
                        + "})(y); if (c) return c; } return '';"));
    }

    /** Their labels and units would be those of the other field, and so would a selection's. */
    @Test
    void shouldShowNoAnswerOfAnotherField() {
        for (String tab : List.of("percentiles", "groups&measure=p50")) {
            show("#view=explore&source=bits&field=n&tab=" + tab);
            browser.untilShown(".heatmap .outcome", "complete");
            browser.untilShown("#panel .outcome", "complete");
            assertNotEquals(List.of(), browser.all("#panel tbody tr"));
            browser.run("const asked = fetch; window.fetch = (path, ...rest) =>"
                    + " /(hist|agg)$/.test(path) ? new Promise(() => {}) : asked(path, ...rest)");
            browser.run("location.hash = location.hash.replace('field=n', 'field=d')");
            browser.untilShown(".surface .empty", "asking");
            assertEquals(List.of(), browser.all("#panel tbody tr"));
            browser.drag(CANVAS, 0.06, 0, 1, 0.92);
            assertEquals(List.of(), browser.all("#clear"));
        }
    }

    /** Bins of doubles begin and end at infinity, and at numbers whose digits are those of other integers. */
    @Test
    void shouldSelectEachBinOfDoubles() {
        for (String field : List.of("indexed", "plain")) {
            show("#view=explore&source=outliers&field=" + field);
            browser.untilShown(".heatmap .outcome", "complete");
            browser.click("#heatmap-table");
            List<String> cells = browser.table("cells of the heatmap");
            assertTrue(cells.size() >= 4, cells::toString);
            for (int cell = 0; cell < cells.size(); cell++) {
                String[] columns = cells.get(cell).split("\\|", -1);
                browser.run(
                        "document.querySelectorAll(`table[aria-label='cells of the heatmap'] tbody tr`)[arguments[0]].click()",
                        cell);
                browser.untilShown("#heatmap-said", columns[4] + " records");
                browser.until(
                        columns[2] + " to " + columns[3],
                        () -> browser.table("records").size() == Integer.parseInt(columns[4]));
                browser.click("#clear");
                browser.untilShown("#heatmap-said", "Drag");
            }
            browser.drag(CANVAS, 0.06, 0, 1, 0.92);
            browser.untilShown("#heatmap-said", "8 records");
            browser.untilShown("#panel .outcome", "complete");
            assertEquals(8, browser.table("records").size());
        }
    }

    /** What arrived in the meantime is not in the picture: an end that is later would be a gap. */
    @Test
    void shouldEndARelativeRangeWhenItWasAsked() {
        show("#view=explore&source=requests&field=latency_ns&since=6h");
        browser.untilShown("#heatmap-said", "650 values");
        browser.untilShown(".heatmap .outcome", "complete");
        browser.run("const now = Date.now; Date.now = () => now() + 6 * 3600e3");
        browser.keys("?"); // draws again
        browser.untilShown(".keys", "ask again");
        browser.drag(CANVAS, 0.6, 0, 1, 0.92);
        browser.untilShown("#heatmap-said", "650 records");
    }

    @Test
    void shouldShowNoPictureOfWhatIsNotThere() {
        show("#view=explore&source=bits&field=n");
        browser.untilShown(".heatmap .outcome", "complete");
        assertNotEquals("", browser.run(COLOUR, 270));
        browser.run("location.hash += '&where=' + encodeURIComponent('n < 0')");
        browser.untilShown(".surface .empty", "no values in this range");
        for (int y = 0; y < 296; y++) {
            assertEquals("", browser.run(COLOUR, y), "y=" + y);
        }
    }

    @Test
    void shouldAskForTextsWithBackslashes() {
        show("#view=explore&source=paths&tab=facets");
        browser.click("button.facet");
        browser.click("button[aria-label^='only path C:']");
        browser.untilShown(".condition", "path == \"C:\\\\bin\\\\foo\"");
        browser.until("one value", () -> browser.all(".facets li").size() == 1);
    }

    /** No condition names an array or an object. */
    @Test
    void shouldOfferNoConditionOnAnArray() {
        show("#view=explore&source=tags&tab=facets");
        browser.untilShown(".facets", "tags");
        browser.driver
                .findElement(By.xpath("//button[@class='facet'][text()='tags']"))
                .click();
        browser.untilShown(".facets li", "[\"a\"]");
        assertEquals(List.of(), browser.all(".facets li button"));
    }

    @Test
    void shouldShowATraceOfLogsAlone() {
        show("#view=trace&trace=5b8efff798038103d269b633813fc60c");
        browser.untilShown("main .hint", "0 spans, ");
        browser.untilShown("main .hint", "2026-11-2");
    }

    @Test
    void shouldOpenARecordOfASourceWhoseNameHasAnAt() {
        show("#view=explore&source=getty%40tty1");
        browser.click("table[aria-label=records] tbody tr");
        browser.untilShown(".detail h3", "getty@tty1 at ");
        browser.untilShown(".detail dl", "login");
        show("#view=explore&source=getty%40tty1&record=nonsense");
        browser.untilShown("table[aria-label=records]", "login");
    }

    @Test
    void shouldAskForWhatHappenedMeanwhileThoughSourcesComeLate() {
        show("#view=explore&source=requests&field=latency_ns&time=event&order=top");
        browser.untilShown("table[aria-label=records]", "40512498");
        browser.click("table[aria-label=records] tbody tr");
        browser.untilShown(".lane-name", "syscalls 12");
        String link = String.valueOf(browser.run("return location.hash"));
        // until they come, what depends on them is asked without them
        Object added = browser.driver
                .executeCdpCommand(
                        "Page.addScriptToEvaluateOnNewDocument",
                        Map.of(
                                "source",
                                "const asked = window.fetch; window.fetch = (to, ...rest) =>"
                                        + " /v1\\/(sources|indexes)$/.test(String(to))"
                                        + " ? new Promise(done => setTimeout(done, 1500)).then(() => asked(to, ...rest))"
                                        + " : asked(to, ...rest);"))
                .get("identifier");
        try {
            show(link);
            browser.untilShown(".lane-name", "syscalls 12");
        } finally {
            browser.driver.executeCdpCommand(
                    "Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", String.valueOf(added)));
        }
    }

    @Test
    void shouldSayTheCommandOfATailOfWords() {
        show("#view=explore&source=getty%40tty1&tab=tail&q=login");
        browser.click("#panel .command button");
        browser.untilShown("#panel .copied code", "loom tail getty@tty1 login");
    }
}
