package dev.loom.bench.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.bench.replay.ReplayQuestion;
import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.replay.RunningSink;
import dev.loom.bench.replay.SinkKind;
import dev.loom.bench.replay.SinkPrograms;
import dev.loom.bench.replay.SinkSettings;
import dev.loom.bench.replay.TelemetryBatch;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an application tells gets into sinks, and what finds no room is counted. */
final class ProbeTelemetryTest {
    private static final long EVENTS = 20L * TelemetryBatch.RECORDS;

    private static final PrintStream OUT = System.out;

    @TempDir
    private Path directory;

    /** Chronicle Queue needs flags that tests run without. */
    @ParameterizedTest
    @EnumSource(
            value = SinkKind.class,
            names = {"LOOM", "LOOM_UNINDEXED", "RAWFILE", "ROCKSDB", "LMDB", "DUCKDB", "QUESTDB"})
    void shouldBringEverySourceIntoASink(SinkKind kind) throws Exception {
        final Path files = Files.createDirectory(directory.resolve("files"));
        final Path staging = Files.createDirectory(directory.resolve("staging"));
        final SinkSettings settings =
                new SinkSettings(ProbeSink.PLAN, files, staging, new SinkPrograms("", Path.of(""), "", "", ""));
        try (RunningSink sink = new RunningSink(kind, settings, directory.resolve("errors"), OUT)) {
            try (ProbeTelemetry telemetry = new SocketTelemetry(sink.port())) {
                for (int i = 0; i < ProbeSink.SOURCES.size(); i++) {
                    for (int times = 0; times <= i; times++) {
                        tell(telemetry.probe(ProbeSink.SOURCES.get(i), times));
                    }
                }
                awaitRoom(telemetry);
            }
            assertEquals(6 * EVENTS, sink.records(), kind.text());
            for (int i = 0; i < ProbeSink.SOURCES.size(); i++) {
                assertEquals(
                        (i + 1) * EVENTS,
                        sink.ask(ReplayQuestion.ofAll(ProbeSink.SOURCES.get(i)))
                                .answer()
                                .count(),
                        kind.text());
            }
        }
    }

    /** All fit into the queue. */
    private static void awaitRoom(ProbeTelemetry telemetry) {
        assertEquals(6 * EVENTS, telemetry.events());
        assertEquals(0, telemetry.dropped());
    }

    @Test
    void shouldDropAndCountWhatASinkDoesNotReadAndNeverWait() throws Exception {
        try (ServerSocketChannel server = server()) {
            final SocketTelemetry telemetry = new SocketTelemetry(port(server));
            final SocketChannel sink = server.accept();
            final ProbeTelemetry.Probe probe = telemetry.probe(ReplaySource.ROCKSDB_REQUESTS, 0);
            while (telemetry.dropped() == 0) {
                tell(probe); // until socket and queue are full
            }
            final long sent = telemetry.events() - telemetry.dropped();
            final long[] bytes = {0};
            final Thread reader = new Thread(() -> bytes[0] = receiveAll(sink));
            reader.start();
            assertThrows(UncheckedIOException.class, telemetry::close); // nobody says that all is stored
            reader.join();

            final int batch = new TelemetryBatch().bytes(0, 0).remaining();
            final int end = TelemetryBatch.end(0).remaining();
            assertEquals(sent / TelemetryBatch.RECORDS * batch + end, bytes[0]);
        }
    }

    @Test
    void shouldSayThatTheSinkHasGone() throws Exception {
        try (ServerSocketChannel server = server()) {
            final SocketTelemetry telemetry = new SocketTelemetry(port(server));
            server.accept().close();
            final ProbeTelemetry.Probe probe = telemetry.probe(ReplaySource.ROCKSDB_REQUESTS, 0);
            while (telemetry.dropped() == 0) {
                tell(probe);
            }

            assertThrows(UncheckedIOException.class, telemetry::close);
        }
    }

    @Test
    void shouldCountWhatIsDiscarded() {
        try (ProbeTelemetry telemetry = new DiscardedTelemetry()) {
            tell(telemetry.probe(ReplaySource.ROCKSDB_REQUESTS, 0));

            assertEquals(EVENTS, telemetry.events());
            assertEquals(0, telemetry.dropped());
        }
    }

    private static void tell(ProbeTelemetry.Probe probe) {
        for (int i = 0; i < EVENTS; i++) {
            probe.tell(System.nanoTime(), 1, 0, i);
        }
    }

    /** Reads until the batch that ends all, and ends the connection. */
    private static long receiveAll(SocketChannel connection) {
        final int end = TelemetryBatch.end(0).remaining();
        final ByteBuffer bytes = ByteBuffer.allocate(
                        new TelemetryBatch().bytes(0, 0).remaining())
                .order(ByteOrder.LITTLE_ENDIAN);
        long received = 0;
        try (connection) {
            int length;
            do {
                read(connection, bytes.clear().limit(end));
                length = bytes.getInt(0); // a batch begins with its length, and the last one has nothing else
                read(connection, bytes.limit(length));
                received += length;
            } while (length != end);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return received;
    }

    private static void read(SocketChannel connection, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            assertTrue(connection.read(bytes) >= 0, "connection has ended");
        }
    }

    private static ServerSocketChannel server() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static int port(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }
}
