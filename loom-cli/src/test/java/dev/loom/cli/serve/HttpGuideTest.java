package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.text.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends the requests of {@code docs/http-api.md}, one after the other, and compares the answers, but for what differs from run to
 * run. {@code -Dloom.guide=write} writes them into the guide.
 */
final class HttpGuideTest {
    private static final Pattern GET = Pattern.compile("\\$ curl -s \\$API(\\S+)");
    private static final Pattern POST = Pattern.compile("\\$ curl -s \\$API(\\S+) -H \"\\$JSON\" -d '(.*)'");
    private static final String INFO = "{\"directory\":";

    /** Arrival times, addresses, and figures of a run. */
    private static final Pattern VARYING = Pattern.compile("2\\d{3}-(?!11-21T02:46)[0-9T:.-]+Z|\\b\\d{19}\\b"
            + "|(?<=\"addr\":)\\d+|(?<=\"(wall_ns|cpu_ns|bytes_read|waits|waited_ns|owner_pid|disk_bytes|segment_bytes|max_bytes|min_free_bytes)\":)\\d+"
            + "|(?<=filter blocks read=)\\d+|(?<=from cache=)\\d+|(?<=cache bytes=)\\d+"
            + "|(?<=\"\\w{4,8}_(durable|evicted|sealed)\":)\\d+"
            + "|(?<=\"(directory|store_id|owner_host|staging|eviction|staging_fallback)\":)\"[^\"]*\"");

    @TempDir
    Path temp;

    private final Path guide = Path.of("../docs/http-api.md");

    @Test
    void shouldAnswerWhatTheGuideSays() throws Exception {
        Cli cli = Cli.on(temp.resolve("store"));
        cli.importSample("requests");
        cli.importSample("syscalls");
        Cli traces = Cli.on(temp.resolve("traces"));
        importTrace(traces, "shop", "csv", "spans.csv", "end");
        importTrace(traces, "shop-logs", "jsonl", "logs.jsonl", "time");
        List<String> written = Files.readAllLines(guide);
        List<String> run;
        try (LoomServer sidecar = open("store");
                LoomServer ofTraces = open("traces")) {
            run = run(
                    written,
                    "http://" + sidecar.addresses().get("http"),
                    "http://" + ofTraces.addresses().get("http"));
        }
        if ("write".equals(System.getProperty("loom.guide"))) {
            Files.write(guide, run);
        }
        assertEquals(masked(written), masked(known(written, run)));
    }

    private LoomServer open(String store) throws IOException {
        return LoomServer.open(ServerSettings.builder()
                .store(LoomConfig.at(temp.resolve(store)).build())
                .api(Endpoint.parse("127.0.0.1:0"))
                .build());
    }

    private static void importTrace(Cli cli, String source, String format, String file, String time) {
        String path = "src/test/resources/trace/" + file;
        cli.run("import", "--source", source, "--format", format, "--event-time", time, path)
                .ok();
    }

    /** @param traces answers the examples of the section about traces */
    private static List<String> run(List<String> written, String api, String traces) throws Exception {
        List<String> run = new ArrayList<>();
        boolean example = false;
        boolean ofTraces = false;
        for (String line : written) {
            ofTraces = line.startsWith("##") ? line.equals("### Traces") : ofTraces;
            example = example ? !line.equals("```") : line.equals("```console");
            if (!example || line.equals("```console") || line.startsWith("$ ")) {
                run.add(line);
            }
            if (example && line.startsWith("$ curl")) {
                answer(line, ofTraces ? traces : api).lines().forEach(run::add);
            }
        }
        return run;
    }

    private static String answer(String command, String api) throws Exception {
        Matcher post = POST.matcher(command);
        Matcher get = GET.matcher(command);
        HttpRequest.Builder request;
        if (post.matches()) {
            request = HttpRequest.newBuilder(URI.create(api + post.group(1)))
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(post.group(2)));
        } else {
            assertEquals(true, get.matches(), command);
            request = HttpRequest.newBuilder(URI.create(api + get.group(1)));
        }
        return HttpClient.newHttpClient()
                .send(request.build(), BodyHandlers.ofString())
                .body();
    }

    /** What {@code info} tells besides what the guide shows is left out: each key in the guide has to be there, not the other way round. */
    private static List<String> known(List<String> written, List<String> run) {
        List<String> known = new ArrayList<>(run);
        for (int i = 0; i < Math.min(written.size(), run.size()); i++) {
            if (written.get(i).startsWith(INFO) && run.get(i).startsWith(INFO)) {
                Set<String> shown = members(written.get(i));
                String line = run.get(i);
                for (String key : members(line)) {
                    if (!shown.contains(key)) {
                        line = line.replaceAll(",\"" + key + "\":(\"[^\"]*\"|[^,}]*)", "");
                    }
                }
                known.set(i, line);
            }
        }
        return known;
    }

    private static Set<String> members(String json) {
        return JsonObject.parse(json.getBytes(StandardCharsets.UTF_8)).keySet();
    }

    private static String masked(List<String> lines) {
        return VARYING.matcher(String.join("\n", lines)).replaceAll("X");
    }
}
