package dev.loom.bench.probe;

import static dev.loom.bench.probe.ProbeRecordDescriptor.FRAME_HEADER_LENGTH;
import static dev.loom.bench.probe.ProbeRecordDescriptor.FRAME_LENGTH_MAX;
import static dev.loom.bench.probe.ProbeRecordDescriptor.RECORDS_OFFSET;
import static dev.loom.bench.probe.ProbeRecordDescriptor.RECORD_LENGTH;
import static dev.loom.bench.probe.ProbeRecordDescriptor.SOURCE_OFFSET;

import dev.loom.bench.push.CpuTime;
import dev.loom.bench.scaling.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The other side of the connection: takes frames from one application, until that ends, and stores them. Compares the store's count
 * with what came.
 */
public final class ProbeSinkProcess implements AutoCloseable {
    private static final String PORT = "port ";
    private static final String RESULT = "result ";
    private static final int SOCKET_BUFFER_BYTES = 1 << 20;
    private static final int BUFFER_LENGTH = 16 * FRAME_LENGTH_MAX;

    private final Process process;
    private final BufferedReader out;
    private final int port;

    private ProbeSinkProcess(Process process) throws IOException {
        this.process = process;
        out = process.inputReader();
        port = Integer.parseInt(line(PORT));
    }

    /**
     * What a sink has done.
     *
     * @param records stored
     * @param cpuNs of its process, and of those that it has started
     */
    public record Result(long records, long cpuNs) {}

    /** Starts a sink, and returns once it listens. */
    public static ProbeSinkProcess start(ProbeSink kind, Path directory, Path staging) {
        try {
            final Process process = ChildJvm.start(
                    ProbeSinkProcess.class, List.of(kind.text(), directory.toString(), staging.toString()));
            try {
                return new ProbeSinkProcess(process);
            } catch (final IOException | RuntimeException e) {
                process.destroy();
                throw e;
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    /** Waits for the sink's end, which follows the application's. */
    public Result result() {
        try {
            final String[] figures = line(RESULT).split(" ", -1);
            return new Result(Long.parseLong(figures[0]), Long.parseLong(figures[1]));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String line(String prefix) throws IOException {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
        throw new IllegalStateException("sink has ended before it told: expected=" + prefix.trim());
    }

    /** Ends the sink, if it has not ended by itself. */
    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The child process; {@link #start} passes the arguments. */
    public static void main(String[] arguments) throws IOException {
        ChildJvm.endWithParent();
        try (ServerSocketChannel server = ServerSocketChannel.open();
                FrameStore store = ProbeSink.parse(arguments[0]).open(Path.of(arguments[1]), Path.of(arguments[2]))) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(PORT + ((InetSocketAddress) server.getLocalAddress()).getPort());
            try (SocketChannel socket = server.accept()) {
                final long received = receive(socket, store);
                store.finish();
                if (store.count() != received) {
                    throw new IllegalStateException(
                            "store has another number of records: expected=" + received + ", actual=" + store.count());
                }
                System.out.println(RESULT + received + ' ' + (CpuTime.processNs() + store.cpuNs()));
            }
        }
    }

    /**
     * Stores frames until the other side ends.
     *
     * @return how many records came
     * @throws IllegalStateException if what comes are no frames, or the last is not whole
     */
    static long receive(ReadableByteChannel socket, FrameStore store) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_LENGTH);
        final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
        long received = 0;
        while (socket.read(bytes) >= 0) {
            int at = 0;
            while (bytes.position() - at >= FRAME_HEADER_LENGTH) {
                final int records = buffer.getInt(at + RECORDS_OFFSET, ByteOrder.LITTLE_ENDIAN);
                final int end = at + FRAME_HEADER_LENGTH + records * RECORD_LENGTH;
                if (records < 0 || records > ProbeRecordDescriptor.FRAME_RECORDS_MAX) {
                    throw new IllegalStateException("frame has an impossible number of records: records=" + records);
                }
                if (end > bytes.position()) {
                    break;
                }
                store.write(
                        buffer.getInt(at + SOURCE_OFFSET, ByteOrder.LITTLE_ENDIAN),
                        buffer,
                        at + FRAME_HEADER_LENGTH,
                        records);
                received += records;
                at = end;
            }
            bytes.flip().position(at);
            bytes.compact();
        }
        if (bytes.position() > 0) {
            throw new IllegalStateException("connection ended within a frame: bytes=" + bytes.position());
        }
        return received;
    }
}
