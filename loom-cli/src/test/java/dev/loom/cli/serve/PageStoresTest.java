package dev.loom.cli.serve;

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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The page of stores that are locked, written meanwhile, or large, in a real browser. */
final class PageStoresTest {
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
            browser.find("#token").sendKeys("s3cret", Keys.ENTER);
            browser.untilShown("main", "The store has no sources yet.");
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
