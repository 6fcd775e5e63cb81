package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom ui} in this process, without a browser. */
final class UiCommandTest {
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

    @Test
    void shouldServeThePageOfAStoreThatOthersWrite() throws Exception {
        Path store = temp.resolve("store");
        Path lines = Files.writeString(temp.resolve("a.log"), "one\n");
        Cli cli = Cli.on(store);
        cli.run("import", "--source", "app", "--format", "lines", lines.toString())
                .ok();
        Said said = new Said();
        Console console = cli.console(OutputStream.nullOutputStream(), said);
        CompletableFuture<Integer> ended = CompletableFuture.supplyAsync(() -> Main.run(console, "ui"));
        String page = said.page.get(1, TimeUnit.MINUTES);
        assertTrue(get(page).contains("<title>Loom</title>"));
        assertTrue(post(page + "v1/sources").contains("\"records\":1,"));
        Cli.on(store)
                .run("import", "--source", "app", "--format", "lines", lines.toString())
                .ok();
        assertTrue(post(page + "v1/sources").contains("\"records\":2,"));
        console.interruption().request();
        assertEquals(130, ended.get(1, TimeUnit.MINUTES));
    }

    @Test
    void shouldSayWhyThereIsNoPage() {
        Cli.on(temp.resolve("none")).run("ui").exit(3);
        new Cli().run("ui").exit(2);
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
