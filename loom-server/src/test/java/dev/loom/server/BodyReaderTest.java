package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.server.http.ApiFailure;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.junit.jupiter.api.Test;

/** What is answered, and given back, however the reading of a body ends. */
final class BodyReaderTest {
    private static final int LENGTH_MAX = 4096;

    private final ByteBudget budget = new ByteBudget(2 * LENGTH_MAX);
    private final Deque<Supplier<Content.Chunk>> chunks = new ArrayDeque<>();
    private final List<String> ends = new ArrayList<>();

    /** Of which nothing is used but reading. */
    private final Request request = (Request) Proxy.newProxyInstance(
            Request.class.getClassLoader(),
            new Class<?>[] {Request.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "read" -> chunks.isEmpty() ? null : chunks.remove().get();
                case "demand" -> null;
                default -> throw new AssertionError(method);
            });

    private void sends(String text, boolean last) {
        chunks.add(() -> Content.Chunk.from(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), last));
    }

    private BodyReader reader() {
        return new BodyReader(
                request,
                LENGTH_MAX,
                budget,
                body -> ends.add(new String(body, StandardCharsets.US_ASCII)),
                (ApiFailure failure) -> ends.add(failure.status() + " " + failure.code()));
    }

    @Test
    void shouldGiveBackWhatItHeldHoweverItEnds() {
        sends("x".repeat(1500), false);
        BodyReader whole = reader();
        whole.run();
        assertEquals(1500, budget.held());
        sends("y".repeat(LENGTH_MAX - 1500), true);
        whole.run();

        sends("x".repeat(LENGTH_MAX), false);
        sends("y", true);
        reader().run();

        sends("x", false);
        chunks.add(() -> Content.Chunk.from(new IOException("reset"), true));
        reader().run();

        sends("x", false);
        chunks.add(() -> {
            throw new OutOfMemoryError("injected");
        });
        reader().run();

        sends("x", false);
        chunks.add(() -> {
            throw new IllegalStateException("injected");
        });
        assertThrows(IllegalStateException.class, reader()::run);

        assertEquals(
                List.of(
                        "x".repeat(1500) + "y".repeat(LENGTH_MAX - 1500),
                        "413 too_large",
                        "408 timeout",
                        "503 out_of_memory",
                        "500 internal"),
                ends);
        assertEquals(0, budget.held());
    }

    @Test
    void shouldBeRefusedWhereOthersHoldAll() {
        for (int i = 0; i < 3; i++) {
            sends("x".repeat(LENGTH_MAX), false);
            reader().run(); // and waits for more
        }
        assertEquals(List.of("429 busy"), ends);
        assertEquals(2 * LENGTH_MAX, budget.held());
    }
}
