package example;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.format.Formats;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** Records greetings, serves them at an address ({@code localhost:4319} if none is given), and asks for them there. */
public final class Serve {
    public static void main(String[] args) throws Exception {
        String address = args.length == 0 ? "localhost:4319" : args[0];
        Path directory = Files.createTempDirectory("loom-server");
        try (Recorder recorder = Recorder.on(Loom.open(directory)).start()) {
            int greetings = recorder.defineSource("greetings", Formats.text());
            ServerSettings settings = ServerSettings.builder().api(Endpoint.parse(address)).build();
            try (LoomServer server = LoomServer.start(recorder, settings)) {
                UnsafeBuffer hello = new UnsafeBuffer("hello".getBytes(StandardCharsets.UTF_8));
                recorder.offer(greetings, hello, 0, hello.capacity());
                recorder.sync();
                ask(server.addresses().get("http"));
            }
        }
    }

    private static void ask(String address) throws Exception {
        HttpRequest question = HttpRequest.newBuilder(URI.create("http://" + address + "/v1/scan"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"source\":\"greetings\"}"))
                .build();
        String answer = HttpClient.newHttpClient().send(question, BodyHandlers.ofString()).body();
        System.out.print(answer);
        if (!answer.contains("\"hello\"")) {
            throw new IllegalStateException("the answer lacks the record");
        }
    }
}
