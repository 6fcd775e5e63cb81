package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom ui} in this process, without a browser. */
final class UiCommandTest {
    private static final int SLOT_LENGTH = 4096;
    private static final int MAJOR_OFFSET = 8;

    @TempDir
    Path temp;

    /** Completes with the page's address once it was said. */
    private static final class Said extends OutputStream {
        final CompletableFuture<String> page = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int value) {
            bytes.write(value);
            Matcher address = Pattern.compile("loom: page: (\\S+)\n").matcher(bytes.toString(StandardCharsets.UTF_8));
            if (value == '\n' && address.find()) {
                page.complete(address.group(1));
            }
        }
    }

    /** A page that is served until it is closed. */
    private static final class Served implements AutoCloseable {
        final String page;
        private final Console console;
        private final CompletableFuture<Integer> ended;

        Served(Cli cli, String... options) throws Exception {
            Said said = new Said();
            console = cli.console(OutputStream.nullOutputStream(), said);
            String[] command =
                    Stream.concat(Stream.of("ui"), Stream.of(options)).toArray(String[]::new);
            // a thread of its own: on two processors the common pool has one, and two of these are served at once
            ended = CompletableFuture.supplyAsync(() -> Main.run(console, command), task -> new Thread(task).start());
            page = said.page.get(1, TimeUnit.MINUTES);
        }

        String sources() throws IOException, InterruptedException {
            return post(page + "v1/sources");
        }

        @Override
        public void close() {
            console.interruption().request();
            assertEquals(130, ended.orTimeout(1, TimeUnit.MINUTES).join());
        }
    }

    private Cli importLine(Path store) throws IOException {
        Path lines = Files.writeString(temp.resolve("a.log"), "one\n");
        Cli cli = Cli.on(store);
        cli.run("import", "--source", "app", "--format", "lines", lines.toString())
                .ok();
        return cli;
    }

    @Test
    void shouldServeThePageOfAStoreThatOthersWrite() throws Exception {
        Path store = temp.resolve("store");
        try (Served served = new Served(importLine(store))) {
            assertTrue(get(served.page).contains("<title>Loom</title>"));
            assertTrue(served.sources().contains("\"records\":1,"));
            importLine(store);
            assertTrue(served.sources().contains("\"records\":2,"));
        }
    }

    @Test
    void shouldServeAStoreThatAnotherHoldsAndServesToo() throws Exception {
        Path store = temp.resolve("store");
        Cli cli = importLine(store);
        try (Loom writer = Loom.open(LoomConfig.at(store).build());
                Served first = new Served(cli);
                Served second = new Served(Cli.on(store))) {
            int app = writer.source("app").orElseThrow().id();
            writer.push(app, new UnsafeBuffer(new byte[] {'x'}), 0, 1);
            assertNotEquals(first.page, second.page);
            for (Served served : List.of(first, second)) {
                assertTrue(served.sources().contains("\"records\":2,"));
            }
            String address = URI.create(first.page).getAuthority();
            Cli.Result taken = Cli.on(store).run("ui", "--http", address).exit(3);
            assertTrue(taken.err().contains(address.substring(address.indexOf(':'))), taken.err());
        }
    }

    @Test
    void shouldSayThatTheStoreHasGoneAndServeAnotherInItsPlace() throws Exception {
        Path store = temp.resolve("store");
        Path elsewhere = temp.resolve("elsewhere");
        try (Served served = new Served(importLine(store))) {
            Files.move(store, elsewhere);
            String gone = served.sources();
            assertTrue(gone.startsWith("{\"error\":{\"code\":\"store\",") && gone.contains(store.toString()), gone);
            assertTrue(get(served.page + "readyz").contains(store.toString()));
            assertTrue(get(served.page).contains("<title>Loom</title>"));
            importLine(store);
            importLine(store);
            assertTrue(served.sources().contains("\"records\":2,"));
            assertEquals("ok\n", get(served.page + "readyz"));
        }
    }

    @Test
    void shouldSayWhyThereIsNoPage() throws Exception {
        Cli.on(temp.resolve("none")).run("ui").exit(3);
        new Cli().run("ui").exit(2);
        Path store = temp.resolve("store");
        importLine(store).run("ui", "--http", "nonsense").exit(2);
        importLine(store).run("ui", "--http", "0.0.0.0:0").exit(2); // others could read all of the store
        byte[] mark = Files.readAllBytes(store.resolve("loom.mark"));
        for (int slot = 0; slot < mark.length; slot += SLOT_LENGTH) {
            CRC32C checksum = new CRC32C();
            mark[slot + MAJOR_OFFSET] = 99;
            checksum.update(mark, slot, SLOT_LENGTH - 4);
            ByteBuffer.wrap(mark).order(ByteOrder.LITTLE_ENDIAN).putInt(slot + SLOT_LENGTH - 4, (int)
                    checksum.getValue());
        }
        Files.write(store.resolve("loom.mark"), mark);
        String newer = Cli.on(store).run("ui").exit(3).err();
        assertTrue(newer.contains("store has a newer format") && newer.contains("major=99"), newer);
    }

    @Test
    void shouldOpenTheBrowserThatIsNamedAndDoWithoutOneThatIsNotThere() throws Exception {
        Path store = temp.resolve("store");
        Path opened = temp.resolve("opened");
        Path browser = Files.writeString(temp.resolve("browser"), "#!/bin/sh\necho \"$1\" > " + opened + "\n");
        Files.setPosixFilePermissions(browser, PosixFilePermissions.fromString("rwx------"));
        Cli cli = importLine(store).outTerminal().environment("BROWSER", browser.toString());
        try (Served served = new Served(cli)) {
            while (!Files.exists(opened) || Files.size(opened) == 0) {
                Thread.onSpinWait();
            }
            assertEquals(served.page + "\n", Files.readString(opened));
        }
        try (Served served =
                new Served(cli.environment("BROWSER", temp.resolve("none").toString()))) {
            assertTrue(get(served.page).contains("<title>Loom</title>"));
        }
        Files.delete(opened);
        try (Served served = new Served(cli.environment("BROWSER", browser.toString()), "--no-browser")) {
            assertTrue(get(served.page).contains("<title>Loom</title>"));
        }
        assertFalse(Files.exists(opened));
    }

    private static String get(String address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(address)).build());
    }

    private static String post(String address) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{}"))
                .build());
    }

    private static String send(HttpRequest request) throws IOException, InterruptedException {
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
