package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The page of stores that are locked, written meanwhile, or large, in a real browser. */
final class PageStoresTest {
    /** 2026-11-21T12:00:00Z. */
    private static final long NOON_NS = 1_795_262_400_000_000_000L;

    @TempDir
    private Path temp;

    private Browser browser;

    @BeforeEach
    void open() throws IOException {
        browser = Browser.start(1280, 1400, temp);
    }

    @AfterEach
    void close() {
        if (browser != null) {
            browser.close();
        }
    }

    @Test
    void shouldAskForTheToken() throws IOException {
        Path token = Files.writeString(temp.resolve("token"), "s3cret\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        Path file = Files.writeString(
                temp.resolve("locked.yaml"),
                "store: {directory: " + temp.resolve("locked") + ", record_ring_mib: 8}\n"
                        + "server: {auth: {token_file: " + token + "}}\napi: {endpoint: \"127.0.0.1:0\"}\n");
        try (LoomServer locked =
                LoomServer.open(ServerSettings.read(file, Map.of(), Map.of()).build())) {
            browser.open("http://" + locked.addresses().get("http") + "/");
            browser.find("#token").sendKeys("wrong", Keys.ENTER);
            browser.find("#token").sendKeys("s3cret\u200b", Keys.ENTER); // which no header can have
            assertEquals(true, browser.run("return document.getElementById('token').validity.patternMismatch"));
            browser.find("#token").clear();
            browser.find("#token").sendKeys(" s3cret", Keys.ENTER);
            browser.untilShown("main", "The store has no sources yet.");
            browser.run(
                    "window.health = []; const asked = fetch; window.fetch = (path, how) => {"
                            + " if (path !== 'readyz') return asked(path, how);"
                            + " health.push(how.signal);"
                            + " const reason = how.headers.Authorization === 'Bearer s3cret' ? 'the disk is full' : 'send the token';"
                            + " return Promise.resolve(new Response(JSON.stringify({error: {message: reason}}), {status: 503})); }");
            browser.keys("r");
            browser.until("the reason", () -> browser.text("#health").equals("the disk is full"));
            browser.keys("r");
            browser.until(
                    "given up",
                    () -> Boolean.TRUE.equals(browser.run("return health.length > 1 && health[0].aborted")));
            browser.driver.navigate().refresh();
            browser.untilShown("main", "The store has no sources yet.");
        }
        // the browser tells of each 401
        assertTrue(browser.complaints().stream().allMatch(line -> line.contains("401")));
    }

    @Test
    void shouldFollowWhatArrives() throws Exception {
        try (SharedWriter writer = new SharedWriter(Loom.open(LoomConfig.at(temp.resolve("live"))
                        .recordRingBytes(8 << 20)
                        .build()));
                LoomServer live = LoomServer.start(
                        writer,
                        ServerSettings.builder()
                                .api(Endpoint.parse("127.0.0.1:0"))
                                .build())) {
            int id = writer.loom().defineSource("app", Formats.text());
            push(writer, id, "first");
            browser.open("http://" + live.addresses().get("http") + "/#view=explore&source=app&tab=tail");
            browser.untilShown("table[aria-label='newest records']", "first");
            push(writer, id, "second");
            browser.untilShown("table[aria-label='newest records']", "second");
            browser.click("#pause");
            for (int i = 0; i < 7; i++) {
                push(writer, id, "held " + i);
            }
            browser.untilShown("#unseen", "7 not seen yet");
            browser.untilShown("#lost", "0 lost meanwhile");
            assertTrue(writer.acquire(Duration.ofMinutes(1)));
            writer.loom().noteLoss(id, LossReason.STORE_FULL, 3, 1, 2);
            writer.release();
            browser.untilShown("#lost", "3 lost meanwhile");
            assertTrue(browser.table("newest records").stream().noneMatch(row -> row.contains("held")));
            browser.click("#pause");
            browser.untilShown("table[aria-label='newest records']", "held 6");
            browser.open("about:blank");
        }
    }

    /** A day later, steps as long as those of the first seconds would be too many. */
    @Test
    void shouldDrawWhatHasArrivedSinceThePageWasOpened() throws Exception {
        AtomicLong clock = new AtomicLong(NOON_NS);
        StructFormat format = Formats.struct("ts_ns:i64,a:i64,b:i64");
        try (SharedWriter writer = new SharedWriter(Loom.open(LoomConfig.at(temp.resolve("live"))
                        .recordRingBytes(8 << 20)
                        .clock(clock::get)
                        .build()));
                LoomServer live = LoomServer.start(
                        writer,
                        ServerSettings.builder()
                                .api(Endpoint.parse("127.0.0.1:0"))
                                .build())) {
            assertTrue(writer.acquire(Duration.ofMinutes(1)));
            int id = writer.loom().defineSource("calls", format, new EventTime("ts_ns", null).attributes());
            writer.loom().defineEventTimeIndex(id, "event-time", IndexFunction.field(format, "ts_ns"));
            writer.release();
            int records = 0;
            for (String kind : List.of("", "event")) {
                pushCalls(writer, id, format, clock);
                records += 10;
                browser.open(
                        "http://" + live.addresses().get("http") + "/#view=explore&source=calls&field=a&time=" + kind);
                browser.untilShown("#heatmap-said", records + " values");
                for (String field : List.of("b", "a")) {
                    boolean isFirst = field.equals("b");
                    clock.addAndGet(isFirst ? TimeUnit.HOURS.toNanos(1) : TimeUnit.DAYS.toNanos(1));
                    pushCalls(writer, id, format, clock);
                    records += 10;
                    // at first the page is not told of the new range
                    browser.run(
                            isFirst
                                    ? "window.asked = fetch; window.fetch = (path, how) => /sources$/.test(path)"
                                            + " || how.body.includes('\"by\":[\"time\"]')"
                                            + " ? new Promise(() => {}) : asked(path, how)"
                                    : "window.fetch = asked");
                    browser.run("location.hash = location.hash.replace(/field=./, 'field=' + arguments[0])", field);
                    browser.untilShown("#heatmap-said", records + " values");
                    browser.untilShown(".heatmap .outcome", "complete");
                    String all = records + " records";
                    browser.until(all, () -> {
                        browser.drag(".surface canvas", 0.01, 0, 1.01, 0.92);
                        boolean selected = browser.text("#heatmap-said").endsWith(all);
                        browser.keys(Keys.ESCAPE); // as longer steps may have come meanwhile
                        return selected;
                    });
                }
            }
            browser.open("about:blank");
        }
    }

    /** One a second. */
    private static void pushCalls(SharedWriter writer, int source, StructFormat format, AtomicLong clock) {
        StructWriter call = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        for (int i = 0; i < 10; i++) {
            call.begin(payload, 0);
            call.setLong(0, clock.addAndGet(TimeUnit.SECONDS.toNanos(1)));
            call.setLong(1, i);
            call.setLong(2, i);
            writer.loom().push(source, payload, 0, call.finish());
        }
        writer.release();
    }

    private static void push(SharedWriter writer, int source, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        writer.loom().push(source, new UnsafeBuffer(bytes), 0, bytes.length);
        writer.release();
    }

    @Test
    void shouldDrawTenMillionRecords() throws IOException {
        StructFormat format = Formats.struct("latency_ns:i64");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        try (Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("many")).recordRingBytes(32 << 20).build())) {
            int id = loom.defineSource("calls", format);
            loom.defineIndex(id, "latency_ns", IndexFunction.field(format, "latency_ns"), Bins.logLinear());
            for (int i = 0; i < 10_000_000; i++) {
                writer.begin(payload, 0);
                writer.setLong(0, i == 7_654_321 ? 5_000_000_000L : 1_000 + i * 7919L % 100_000);
                loom.push(id, payload, 0, writer.finish());
            }
        }
        try (LoomServer many = LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(temp.resolve("many")).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build())) {
            browser.open("http://" + many.addresses().get("http") + "/#view=explore&source=calls&field=latency_ns");
            browser.untilShown(".heatmap .outcome", "complete");
            browser.untilShown("#heatmap-said", "10M values");
            browser.drag(".surface canvas", 0.06, 0, 1, 0.05);
            browser.untilShown("#heatmap-said", "1 records");
            browser.untilShown("table[aria-label=records]", "5000000000");
            browser.picture("ten-million");
        }
    }
}
