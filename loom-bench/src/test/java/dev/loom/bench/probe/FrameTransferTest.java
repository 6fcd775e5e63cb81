package dev.loom.bench.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameTransferTest {
    private static final int EVENTS = 20 * ProbeRecordDescriptor.FRAME_RECORDS_MAX;

    /** A connection that gives so many bytes at once. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 49, 100_000})
    void shouldPutFramesTogetherHoweverTheyCome(int bytesAtOnce) throws IOException {
        final ListedStore store = new ListedStore();

        final long received = ProbeSinkProcess.receive(pieces(frames(2, 3, 1), bytesAtOnce), store);

        assertEquals(6, received);
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L), store.times);
        assertEquals(List.of(0, 1, 2), store.sources);
    }

    @Test
    void shouldRefuseWhatIsNoFrame() {
        final ByteBuffer bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0, 1).putInt(4, ProbeRecordDescriptor.FRAME_RECORDS_MAX + 1);

        assertThrows(
                IllegalStateException.class,
                () -> ProbeSinkProcess.receive(pieces(bytes.array(), 8), new ListedStore()));
    }

    @Test
    void shouldRefuseAFrameThatEndsEarly() {
        final byte[] whole = frames(2);
        final byte[] cut = java.util.Arrays.copyOf(whole, whole.length - 1);

        assertThrows(IllegalStateException.class, () -> ProbeSinkProcess.receive(pieces(cut, 1000), new ListedStore()));
    }

    @Test
    void shouldDropAndCountWhatASinkDoesNotReadAndNeverWait() throws Exception {
        try (ServerSocketChannel server = server()) {
            final SocketTelemetry telemetry = new SocketTelemetry(port(server));
            final SocketChannel sink = server.accept();
            final ProbeTelemetry.Probe probe = telemetry.probe(ProbeSource.REQUESTS, 0);
            while (telemetry.dropped() == 0) {
                tell(probe); // until socket and queue are full
            }
            final long sent = telemetry.told() - telemetry.dropped();
            final ListedStore store = new ListedStore();
            final Thread reader = new Thread(() -> receiveAll(sink, store));
            reader.start();
            telemetry.close();
            reader.join();

            assertEquals(sent, store.times.size());
        }
    }

    @Test
    void shouldSayThatTheSinkHasGone() throws Exception {
        try (ServerSocketChannel server = server()) {
            final SocketTelemetry telemetry = new SocketTelemetry(port(server));
            server.accept().close();
            final ProbeTelemetry.Probe probe = telemetry.probe(ProbeSource.REQUESTS, 0);
            while (telemetry.dropped() == 0) {
                tell(probe);
            }

            assertThrows(UncheckedIOException.class, telemetry::close);
        }
    }

    @Test
    void shouldCountWhatIsDiscarded() {
        try (ProbeTelemetry telemetry = new DiscardedTelemetry()) {
            tell(telemetry.probe(ProbeSource.REQUESTS, 0));

            assertEquals(EVENTS, telemetry.told());
            assertEquals(0, telemetry.dropped());
        }
    }

    private static void tell(ProbeTelemetry.Probe probe) {
        for (int i = 0; i < EVENTS; i++) {
            probe.tell(i, 1, 0, i);
        }
    }

    private static void receiveAll(SocketChannel sink, FrameStore store) {
        try (sink) {
            ProbeSinkProcess.receive(sink, store);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ServerSocketChannel server() throws IOException {
        return ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static int port(ServerSocketChannel server) throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** Frames of so many records each, of sources 0, 1, 2; the records' times count up. */
    private static byte[] frames(int... records) {
        final ByteBuffer bytes = ByteBuffer.allocate(10_000).order(ByteOrder.LITTLE_ENDIAN);
        long time = 0;
        for (int source = 0; source < records.length; source++) {
            bytes.putInt(source).putInt(records[source]);
            for (int i = 0; i < records[source]; i++) {
                bytes.putLong(time++).put(new byte[ProbeRecordDescriptor.RECORD_LENGTH - Long.BYTES]);
            }
        }
        return java.util.Arrays.copyOf(bytes.array(), bytes.position());
    }

    private static ReadableByteChannel pieces(byte[] bytes, int bytesAtOnce) {
        final ReadableByteChannel all = Channels.newChannel(new ByteArrayInputStream(bytes));
        return new ReadableByteChannel() {
            @Override
            public int read(ByteBuffer target) throws IOException {
                final ByteBuffer piece = ByteBuffer.allocate(Math.min(bytesAtOnce, target.remaining()));
                final int read = all.read(piece);
                target.put(piece.flip());
                return read;
            }

            @Override
            public boolean isOpen() {
                return all.isOpen();
            }

            @Override
            public void close() throws IOException {
                all.close();
            }
        };
    }

    /** Keeps what came. */
    private static final class ListedStore implements FrameStore {
        private final List<Long> times = new ArrayList<>();
        private final List<Integer> sources = new ArrayList<>();

        @Override
        public void write(int source, DirectBuffer records, int offset, int count) {
            sources.add(source);
            for (int i = 0; i < count; i++) {
                times.add(records.getLong(offset + i * ProbeRecordDescriptor.RECORD_LENGTH, ByteOrder.LITTLE_ENDIAN));
            }
            assertTrue(count > 0);
        }

        @Override
        public void finish() {}

        @Override
        public long count() {
            return times.size();
        }

        @Override
        public void close() {}
    }
}
