package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a socket's file when its server ends. */
class SocketFileConnectorTest {
    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("otlp.sock");
    }

    private TestServer start() throws IOException {
        return new TestServer(
                new Exported(),
                TestServer.config(),
                ServerProtection.defaults(),
                Endpoint.parse("unix:" + file),
                Endpoint.parse("localhost:0"));
    }

    @Test
    void shouldLeaveTheFileOfAnotherServer() throws Exception {
        TestServer first = start();
        Files.delete(file);
        try (TestServer second = start()) {
            first.close();
            SocketChannel.open(UnixDomainSocketAddress.of(file)).close();
            assertTrue(second.servers.problem().isEmpty());
        }
        assertFalse(Files.exists(file));
    }

    /** A path has at most 106 bytes. */
    @Test
    void shouldListenAtTheLongestPathThatThereIs() throws Exception {
        int left = 106 - folder.toString().length() - "//otlp.sock".length();
        file = Files.createDirectory(folder.resolve("d".repeat(left))).resolve("otlp.sock");
        try (TestServer server = start()) {
            SocketChannel.open(UnixDomainSocketAddress.of(file)).close();
            assertTrue(server.servers.problem().isEmpty());
        }
        assertFalse(Files.exists(file));
        file = file.resolveSibling("otlp2.sock");
        IOException failure = assertThrows(IOException.class, this::start);
        assertTrue(failure.getMessage().contains("reason=path is too long: bytes=107, max=106"), failure.getMessage());
    }

    @Test
    void shouldEndTheOtherEndpointsThoughTheFileCannotBeDeleted() throws Exception {
        TestServer server = start();
        int port = server.httpPort();
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));
        server.close();
        assertThrows(ConnectException.class, () -> new RawHttp1(port));
        assertTrue(Files.exists(file));
    }
}
