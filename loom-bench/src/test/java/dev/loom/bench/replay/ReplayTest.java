package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** A replay into connections that read all, late, or not to the end. */
final class ReplayTest {
    private static final long SLICE_NS = 2_000_000;

    /** 9 MB in a second and a half: more than connection and queue hold. */
    private final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 3, 0.015, 1_500, 3, 1);

    private final PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);

    /** Reads batches, and checks that each record is the stream's next one or a later one. */
    private Map<ReplaySource, Long> receive(SocketChannel from) throws IOException {
        final Map<ReplaySource, Long> counts = new EnumMap<>(ReplaySource.class);
        final Map<ReplaySource, RecordStream> streams = new EnumMap<>(ReplaySource.class);
        final Map<ReplaySource, Long> last = new EnumMap<>(ReplaySource.class);
        for (final ReplaySource source : plan.workload().sources(plan.phase())) {
            streams.put(source, new RecordStream(plan, source));
        }
        final ByteBuffer bytes = ByteBuffer.allocateDirect(1 << 20);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        final UnsafeBuffer expected = new UnsafeBuffer(new byte[256]);
        final BatchSection section = new BatchSection();
        while (true) {
            fill(from, bytes.clear().limit(BatchDescriptor.HEADER_LENGTH));
            if (buffer.getLong(BatchDescriptor.NUMBER_OFFSET, LITTLE_ENDIAN) == BatchDescriptor.END) {
                from.write(ByteBuffer.allocate(1));
                return counts;
            }
            final int length = buffer.getInt(BatchDescriptor.LENGTH_OFFSET, LITTLE_ENDIAN);
            fill(from, bytes.limit(length));
            section.wrap(buffer, length);
            while (section.next()) {
                int offset = section.offset();
                for (int i = 0; i < section.records(); i++) {
                    final long number = section.buffer().getLong(offset + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN);
                    assertTrue(number > last.getOrDefault(section.source(), -1L));
                    last.put(section.source(), number);
                    assertEquals(
                            section.lengths()[i], streams.get(section.source()).write(number, expected, 0));
                    assertEquals(
                            new UnsafeBuffer(expected, 0, section.lengths()[i]),
                            new UnsafeBuffer(section.buffer(), offset, section.lengths()[i]));
                    offset += section.lengths()[i];
                }
                assertEquals(section.offset() + section.bytes(), offset);
                counts.merge(section.source(), (long) section.records(), Long::sum);
            }
        }
    }

    private static void fill(SocketChannel from, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (from.read(bytes) < 0) {
                throw new IOException("replay ended");
            }
        }
    }

    /** What the other side of a connection does. */
    @FunctionalInterface
    private interface Receiver<T> {
        T receive(SocketChannel from) throws Exception;
    }

    /** A receiver's result, and the replay's. */
    private record Both<T>(T received, ReplayResult result) {}

    private <T> Both<T> replay(boolean paced, int queue, Receiver<T> receiver) throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel sending = SocketChannel.open(server.getLocalAddress())) {
            final CompletableFuture<T> received = CompletableFuture.supplyAsync(() -> {
                try (SocketChannel from = server.accept()) {
                    return receiver.receive(from);
                } catch (final Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            final ReplayResult result = new Replay(plan, SLICE_NS, queue, paced).run(sending, out);
            return new Both<>(received.get(), result);
        }
    }

    @Test
    void shouldSendEverythingWhenItWaitsForRoom() throws Exception {
        final Both<Map<ReplaySource, Long>> both = replay(false, 2, this::receive);
        assertEquals(0, ReplayResult.sum(both.result().dropped()));
        for (final ReplaySource source : plan.workload().sources(3)) {
            assertEquals(
                    new RecordStream(plan, source).records(), both.received().get(source));
            assertEquals(both.received().get(source), both.result().offered().get(source.text()));
        }
    }

    @Test
    void shouldCountWhatTheFullQueueRefuses() throws Exception {
        final CountDownLatch scheduled = new CountDownLatch(1);
        final PrintStream signal = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                scheduled.countDown(); // the first second is over, and more was due than anybody holds
            }
        };
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(java.net.StandardSocketOptions.SO_RCVBUF, 1 << 16);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            try (SocketChannel sending = SocketChannel.open(server.getLocalAddress())) {
                final CompletableFuture<Map<ReplaySource, Long>> received = CompletableFuture.supplyAsync(() -> {
                    try (SocketChannel from = server.accept()) {
                        scheduled.await();
                        return receive(from);
                    } catch (final Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                final ReplayResult result = new Replay(plan, SLICE_NS, 2, true).run(sending, signal);
                assertTrue(ReplayResult.sum(result.dropped()) > 0, result.toString());
                for (final ReplaySource source : plan.workload().sources(3)) {
                    final long dropped = result.dropped().get(source.text());
                    assertEquals(
                            new RecordStream(plan, source).records(),
                            received.get().get(source) + dropped);
                }
            }
        }
    }

    @Test
    void shouldFailWhenTheSinkEnds() {
        assertThrows(
                IllegalStateException.class,
                () -> replay(false, 2, from -> from.read(ByteBuffer.allocate(BatchDescriptor.HEADER_LENGTH))));
    }
}
