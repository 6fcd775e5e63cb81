package dev.loom.otlp.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.agrona.DirectBuffer;

/** A receiver on two ports of this machine. */
final class TestServer implements AutoCloseable {
    static final int MIB = 1 << 20;

    final List<Throwable> failures = new CopyOnWriteArrayList<>();
    final OtlpReceiver receiver;
    final HttpServers servers;

    TestServer(ExportHandler handler) throws IOException {
        this(handler, config(), ServerProtection.defaults());
    }

    TestServer(ExportHandler handler, OtlpConfig config, ServerProtection protection) throws IOException {
        this(handler, config, protection, Endpoint.parse("localhost:0"), Endpoint.parse("localhost:0"));
    }

    TestServer(ExportHandler handler, OtlpConfig config, ServerProtection protection, Endpoint grpc, Endpoint http)
            throws IOException {
        this(handler, config, protection, TestServer::transcode, grpc, http);
    }

    TestServer(
            ExportHandler handler,
            OtlpConfig config,
            ServerProtection protection,
            JsonTranscoder transcoder,
            Endpoint grpc,
            Endpoint http)
            throws IOException {
        receiver = new OtlpReceiver(config, protection, handler, transcoder, failures::add);
        servers = HttpServers.start(
                protection,
                List.of(
                        new HttpServers.Listener(grpc, receiver, receiver.refusals()),
                        new HttpServers.Listener(http, receiver, receiver.refusals())),
                failures::add);
    }

    static OtlpConfig config() {
        return OtlpConfig.defaults().withBudget(16 * MIB, Path.of(System.getProperty("java.io.tmpdir")));
    }

    int grpcPort() {
        return servers.port(0);
    }

    int httpPort() {
        return servers.port(1);
    }

    String httpUrl(String path) {
        return "http://localhost:" + httpPort() + path;
    }

    /** Makes the text of any JSON object the body of one log record: what the transport does does not depend on what is in it. */
    static boolean transcode(
            Signal signal, DirectBuffer json, int offset, int length, MessageBuffer message, ExportOutcome outcome) {
        String text = json.getStringWithoutLengthUtf8(offset, length);
        if (!text.startsWith("{")) {
            outcome.malformed("not a JSON object");
            return true;
        }
        byte[] protobuf = TestRequests.logs(text, 1).toByteArray();
        if (!message.ensure(protobuf.length)) {
            return false;
        }
        message.buffer().putBytes(message.offset(), protobuf);
        message.written(protobuf.length);
        return true;
    }

    @Override
    public void close() throws IOException {
        servers.close();
    }
}
