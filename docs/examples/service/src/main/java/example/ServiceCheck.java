package example;

import dev.loom.api.LossReason;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;

/** Runs the service, asks it, and compares what it tells with what was asked. */
final class ServiceCheck {
    private static final int REQUESTS = 2_000;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private ServiceCheck() {}

    static void run(Path directory) throws IOException, InterruptedException {
        try (Service service = new Service(directory, 0)) {
            String address = "http://127.0.0.1:" + service.port();
            for (int i = 0; i < REQUESTS; i++) {
                expect(get(address + "/hello/" + i).equals("hello\n"), "greeting");
            }
            int source = service.source().id();
            service.recorder().sync();
            expect(service.recorder().dropped(source, LossReason.RECORDER_FULL) == 0, "room for all");
            // the last one is recorded after it was answered
            long published = service.recorder().published(source);
            expect(published >= REQUESTS - 1 && published <= REQUESTS, "each once: published=" + published);

            String latency = get(address + "/telemetry/latency?p=99");
            // of which at most one can be slower that came after: the question itself
            List<String> slowest = get(address + "/telemetry/slowest?n=3").lines().toList();
            String max = latency.lines().filter(line -> line.startsWith("max ")).findFirst().orElseThrow();
            expect(
                    slowest.stream().anyMatch(line -> line.split(" ")[1].equals(max.substring(4))),
                    "the same one by both: " + max + ", " + slowest);
            System.out.println(latency + slowest.get(0));
        }
    }

    private static String get(String uri) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(
                HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
        expect(response.statusCode() == 200, "status=" + response.statusCode() + ", body=" + response.body());
        return response.body();
    }

    private static void expect(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("not as expected: " + what);
        }
    }
}
