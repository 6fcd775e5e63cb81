package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads ask a store whose writers come and go. */
final class FollowedStoreTest {
    private static final int WRITERS = 30;

    @TempDir
    Path directory;

    private Loom writer() {
        return Loom.open(LoomConfig.at(directory).recordRingBytes(1 << 20).build());
    }

    @Test
    void shouldAnswerWhileWritersComeAndGo() throws Exception {
        try (Loom loom = writer()) {
            loom.defineSource("s", Formats.text());
        }
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Long>> asking = new ArrayList<>();
        try (FollowedStore followed = new FollowedStore(directory, null, 0)) {
            List<Runnable> questions = List.of(
                    () -> followed.snapshot().close(),
                    () -> assertEquals(1, followed.sources().size()),
                    () -> assertEquals(
                            "s", followed.source("s").map(Source::name).orElse("")),
                    () -> assertEquals(List.of(), followed.indexes()),
                    () -> assertEquals(directory, followed.info().directory()));
            for (Runnable question : questions) {
                Supplier<Long> ask = () -> {
                    long answers = 0;
                    do {
                        question.run();
                        answers++;
                    } while (!done.get());
                    return answers;
                };
                // each on a thread of its own: a pool may have fewer than there are questions
                asking.add(CompletableFuture.supplyAsync(ask, task -> new Thread(task).start()));
            }
            try {
                for (int i = 0; i < WRITERS; i++) {
                    writer().close();
                }
            } finally {
                done.set(true);
            }
            for (CompletableFuture<Long> each : asking) {
                each.get();
            }
        }
    }

    @Test
    void shouldFindFormatsByTheSameClassLoaderWhenItAttachesAgain() {
        try (Loom loom = writer()) {
            loom.defineSource("s", Formats.parse("otlp-log"));
        }
        AtomicInteger asked = new AtomicInteger();
        ClassLoader loader = new ClassLoader(FollowedStoreTest.class.getClassLoader()) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                asked.incrementAndGet();
                return super.getResources(name);
            }
        };
        try (FollowedStore followed = new FollowedStore(directory, loader, 0)) {
            assertEquals("otlp-log", followed.sources().get(0).format().text());
            int before = asked.get();
            assertTrue(before > 0);
            writer().close();
            assertEquals("otlp-log", followed.sources().get(0).format().text());
            assertTrue(asked.get() > before);
        }
    }
}
