package dev.loom.server.client;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.tls.ClientTls;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Something that accepts connections and never answers. */
final class SilentSidecarTest {
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotBeWaitedForWithoutEnd(boolean encrypted) throws Exception {
        @Nullable ClientTls tls = encrypted ? new ClientTls(null, null, null) : null;
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint endpoint = new Endpoint("localhost", silent.getLocalPort(), null);
            SidecarException failure = assertThrows(
                    SidecarException.class,
                    () -> IngestClient.connect(endpoint, "", tls, TimeUnit.MILLISECONDS.toNanos(50)));
            assertTrue(failure.getMessage().contains("no answer: ms=50"), failure.getMessage());
        }
    }
}
