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
    private static final int LOADED_AT_ONCE = 500;
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

    /** Writes many values at a time: one after the other takes a minute for a million. */
    private void load() {
        final ServerClient client = new ServerClient((readingNs, latencyNs, operation, key) -> {}, 0);
        for (long key = 0; key < keys; key += LOADED_AT_ONCE) {
            client.load(key, (int) Math.min(LOADED_AT_ONCE, keys - key));
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
            put(question.clear(), key, operation);
            final int expected = operation == READ ? READ_LENGTH : WRITTEN_LENGTH;
            try {
                send(question.flip());
                answer.clear().limit(expected);
                while (answer.hasRemaining()) {
                    receive(answer);
                    if (answer.get(0) != (operation == READ ? '$' : '+') || answer.get(1) == '-') {
                        throw new IllegalStateException("request failed: key=" + key + ", answer begins with "
                                + (char) answer.get(0) + (char) answer.get(1));
                    }
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Writes the values of some keys. */
        private void load(long first, int count) {
            final ByteBuffer questions = ByteBuffer.allocate(count * requestLength());
            final ByteBuffer answers = ByteBuffer.allocate(count * WRITTEN_LENGTH);
            for (int i = 0; i < count; i++) {
                put(questions, first + i, WRITE);
            }
            try {
                send(questions.flip());
                while (answers.hasRemaining()) {
                    receive(answers);
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
            for (int i = 0; i < count; i++) {
                if (answers.get(i * WRITTEN_LENGTH) != '+') {
                    throw new IllegalStateException("value was not written: key=" + (first + i));
                }
            }
        }

        /** That of the longest request. */
        private int requestLength() {
            return write.length + KEY_DIGITS + value.length;
        }

        private void put(ByteBuffer into, long key, long operation) {
            into.put(operation == READ ? read : write);
            long rest = key;
            for (int i = KEY_DIGITS - 1; i >= 0; i--) {
                into.put(into.position() + i, (byte) ('0' + rest % 10));
                rest /= 10;
            }
            into.position(into.position() + KEY_DIGITS);
            if (operation == READ) {
                into.put((byte) '\r').put((byte) '\n');
            } else {
                into.put(value);
            }
        }

        private void send(ByteBuffer questions) throws IOException {
            while (questions.hasRemaining()) {
                socket.write(questions);
            }
        }

        private void receive(ByteBuffer answers) throws IOException {
            if (socket.read(answers) < 0) {
                throw new IllegalStateException("server has ended the connection");
            }
        }
    }
}
