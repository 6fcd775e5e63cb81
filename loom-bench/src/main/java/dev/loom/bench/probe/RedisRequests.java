package dev.loom.bench.probe;

import dev.loom.bench.push.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A {@code redis-server} on loopback that keeps nothing on a disk; clients wait for each answer. */
final class RedisRequests implements ApplicationRequests {
    private static final Path PROGRAM = Path.of("/usr/bin/redis-server");
    private static final int KEY_DIGITS = 12;
    private static final int BUFFER_LENGTH = 1 << 16;
    private static final long TRY_NS = 10_000_000;
    private static final int WRITTEN_LENGTH = "+OK\r\n".length();
    private static final int READ_LENGTH = "$100\r\n".length() + VALUE_LENGTH + "\r\n".length();

    private final ScratchDirectory files;
    private final Process server;
    private final Thread hook;
    private final InetSocketAddress address;
    private final long keys;

    RedisRequests(Path directory, long keys) {
        this.keys = keys;
        files = ScratchDirectory.in(directory);
        try {
            address = new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
            server = new ProcessBuilder(
                            PROGRAM.toString(),
                            "--bind",
                            address.getAddress().getHostAddress(),
                            "--port",
                            Integer.toString(address.getPort()),
                            "--save",
                            "",
                            "--appendonly",
                            "no",
                            "--dir",
                            files.path().toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (final IOException e) {
            files.close();
            throw new UncheckedIOException(e);
        }
        hook = new Thread(server::destroy, "bench-redis-end");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            load();
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Whether the server is installed. */
    static boolean isAvailable() {
        return Files.isExecutable(PROGRAM);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private void load() {
        final ServerClient client = new ServerClient((readingNs, latencyNs, operation, key) -> {}, 0);
        for (long key = 0; key < keys; key++) {
            client.ask(key, WRITE);
        }
    }

    @Override
    public Client client(ProbeTelemetry.Probe probe, int thread) {
        return new ServerClient(probe, thread);
    }

    @Override
    public long pid() {
        return server.pid();
    }

    @Override
    public void close() {
        server.destroy();
        try {
            server.waitFor();
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final IllegalStateException e) {
            // the process ends already, and with it the hook
        }
        files.close();
    }

    /** A connection, which ends with the server. */
    private final class ServerClient implements Client {
        private final SocketChannel socket;
        private final ByteBuffer question = ByteBuffer.allocateDirect(BUFFER_LENGTH);
        private final ByteBuffer answer = ByteBuffer.allocateDirect(BUFFER_LENGTH);
        private final byte[] read = command("GET");
        private final byte[] write = command("SET");
        private final byte[] value = ("\r\n$" + VALUE_LENGTH + "\r\n" + "v".repeat(VALUE_LENGTH) + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        private final ProbeTelemetry.Probe probe;
        private final Choice choice;

        private ServerClient(ProbeTelemetry.Probe probe, int thread) {
            this.probe = probe;
            choice = new Choice(keys, thread);
            this.socket = connect();
        }

        private byte[] command(String name) {
            return ("*" + (name.equals("GET") ? 2 : 3) + "\r\n$3\r\n" + name + "\r\n$" + KEY_DIGITS + "\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
        }

        private SocketChannel connect() {
            try {
                while (true) {
                    try {
                        final SocketChannel connected = SocketChannel.open(address);
                        connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
                        return connected;
                    } catch (final ConnectException e) {
                        if (!server.isAlive()) {
                            throw e;
                        }
                        LockSupport.parkNanos(TRY_NS); // the server begins
                    }
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void request() {
            choice.next();
            final long beginNs = System.nanoTime();
            ask(choice.key(), choice.operation());
            final long endNs = System.nanoTime();
            probe.tell(beginNs, endNs - beginNs, choice.operation(), choice.key());
        }

        private void ask(long key, long operation) {
            question.clear().put(operation == READ ? read : write);
            long rest = key;
            for (int i = KEY_DIGITS - 1; i >= 0; i--) {
                question.put(question.position() + i, (byte) ('0' + rest % 10));
                rest /= 10;
            }
            question.position(question.position() + KEY_DIGITS);
            if (operation == READ) {
                question.put((byte) '\r').put((byte) '\n');
            } else {
                question.put(value);
            }
            final int expected = operation == READ ? READ_LENGTH : WRITTEN_LENGTH;
            try {
                question.flip();
                while (question.hasRemaining()) {
                    socket.write(question);
                }
                answer.clear().limit(expected);
                while (answer.hasRemaining()) {
                    if (socket.read(answer) < 0) {
                        throw new IllegalStateException("server has ended the connection");
                    }
                    if (answer.get(0) != (operation == READ ? '$' : '+') || answer.get(1) == '-') {
                        throw new IllegalStateException("request failed: key=" + key + ", answer begins with "
                                + (char) answer.get(0) + (char) answer.get(1));
                    }
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
