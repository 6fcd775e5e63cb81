package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a moment without heap, at its most inconvenient. */
class ExhaustedMemoryTest {
    private static final String POST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n";

    @TempDir
    private Path folder;

    private final AtomicBoolean schedulesNoSweep = new AtomicBoolean();
    private final AtomicBoolean readsNoMore = new AtomicBoolean();
    private final AtomicInteger emptyReads = new AtomicInteger();
    private final Server server = new Server(new QueuedThreadPool(), new FailingScheduler(), null);
    private final ServerConnector connector = new ServerConnector(server);
    private OtlpReceiver receiver;

    private final class FailingScheduler extends ScheduledExecutorScheduler {
        @Override
        public Task schedule(Runnable task, long delay, TimeUnit unit) {
            if (unit.toMillis(delay) == 100 && schedulesNoSweep.compareAndSet(true, false)) {
                throw new OutOfMemoryError("for a moment");
            }
            return super.schedule(task, delay, unit);
        }
    }

    private final class FailingReader extends Handler.Wrapper {
        FailingReader(Handler receiver) {
            super(receiver);
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) throws Exception {
            return super.handle(
                    new Request.Wrapper(request) {
                        @Override
                        public Content.Chunk read() {
                            if (receiver.bytesInFlight() > 0 && readsNoMore.get()) {
                                throw new OutOfMemoryError("for a moment");
                            }
                            Content.Chunk chunk = super.read();
                            if (chunk == null) {
                                emptyReads.incrementAndGet();
                            }
                            return chunk;
                        }
                    },
                    response,
                    callback);
        }
    }

    @BeforeEach
    void start() throws Exception {
        receiver = new OtlpReceiver(
                TestServer.config().withMaxRequests(1),
                ServerProtection.builder()
                        .readBodyTimeout(Duration.ofMillis(200))
                        .build(),
                new Exported(),
                TestServer::transcode,
                failure -> {});
        server.addConnector(connector);
        server.setHandler(new FailingReader(receiver));
        server.start();
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    /** Sends a part of a request; the status of the answer, 0 for none. */
    private int stall() {
        return assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            try (RawHttp1 client = new RawHttp1(connector.getLocalPort())) {
                client.send(POST + "Content-Length: 10\r\n\r\n1");
                return client.status();
            }
        });
    }

    @Test
    void shouldEndStalledRequestsAlthoughASweepCouldNotBeScheduled() {
        schedulesNoSweep.set(true);
        assertEquals(500, stall());
        assertEquals(504, stall());
    }

    @Test
    void shouldReleaseTheBodyOfARequestThatCouldNotBeReadOn() {
        readsNoMore.set(true);
        assertTrue(stall() != 504);
        assertEquals(0, receiver.bytesInFlight());
        readsNoMore.set(false);
        assertEquals(504, stall());
    }

    @Test
    void shouldEndARequestThatCouldNotBeReadOnLater() throws Exception {
        int status = 504;
        while (status == 504) { // on a busy machine the rest may come too late
            int before = emptyReads.get();
            try (RawHttp1 client = new RawHttp1(connector.getLocalPort())) {
                client.send(POST + "Content-Length: 10\r\n\r\n1");
                while (emptyReads.get() == before) {
                    Thread.onSpinWait(); // until it waits for more
                }
                readsNoMore.set(true);
                client.send("2");
                status = client.status();
            }
            readsNoMore.set(false);
        }
        assertEquals(500, status);
        assertEquals(504, stall(), "its slot, the only one, is free again");
    }

    @Test
    void shouldTakeNoHeapToGrowAndToRelease() throws IOException {
        try (InFlightBudget first = InFlightBudget.open(folder, 1 << 20);
                InFlightBudget budget = InFlightBudget.open(folder, 1 << 20)) {
            change(regions(first), ByteBuffer.allocate(InFlightBudget.GRANULE)); // whatever is loaded at first
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long id = Thread.currentThread().getId();
            Region[] regions = regions(budget);
            ByteBuffer more = ByteBuffer.allocate(InFlightBudget.GRANULE);
            threads.getThreadAllocatedBytes(id);
            long before = threads.getThreadAllocatedBytes(id);
            change(regions, more);
            assertEquals(before, threads.getThreadAllocatedBytes(id));
            assertEquals(0, budget.used());
        }
    }

    private static Region[] regions(InFlightBudget budget) {
        Region[] regions = new Region[200];
        for (int i = 0; i < regions.length; i++) {
            regions[i] = budget.reserve(1);
            assertNotNull(regions[i]);
        }
        return regions;
    }

    /** Leaves a hole behind each second one, lets one grow, and releases the rest. */
    private static void change(Region[] regions, ByteBuffer more) {
        for (int i = 0; i < regions.length; i += 2) {
            regions[i].close();
        }
        regions[1].append(more);
        regions[1].append(more.clear());
        for (Region region : regions) {
            region.close();
        }
    }
}
