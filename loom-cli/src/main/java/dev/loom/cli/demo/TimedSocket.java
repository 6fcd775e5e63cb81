package dev.loom.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A server's connection that times and records every operation. For one thread. */
final class TimedSocket {
    private static final String RECV = "recv";
    private static final String SEND = "send";

    /** The recorded return value of an operation that threw. */
    private static final int FAILED = -1;

    private final InputStream in;
    private final OutputStream out;
    private final int peerPort;
    private final String thread;
    private final TelemetrySink sink;
    private final ServerCounts counts;
    private final PayloadEncoder encoder = new PayloadEncoder(DemoSource.SOCKET_OPS);

    TimedSocket(Socket socket, TelemetrySink sink, ServerCounts counts) throws IOException {
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
        this.peerPort = socket.getPort();
        this.thread = Thread.currentThread().getName();
        this.sink = sink;
        this.counts = counts;
    }

    /** Like {@link InputStream#read(byte[], int, int)}; recorded with {@code recv(2)}'s return value: 0 at the end. */
    int recv(byte[] into, int offset, int length) throws IOException {
        int returned = FAILED;
        long startNs = System.nanoTime();
        try {
            int received = in.read(into, offset, length);
            returned = Math.max(0, received);
            return received;
        } finally {
            long latencyNs = System.nanoTime() - startNs;
            record(RECV, latencyNs, returned);
            counts.received(peerPort, latencyNs, returned);
        }
    }

    void send(byte[] bytes, int length) throws IOException {
        int returned = FAILED;
        long startNs = System.nanoTime();
        try {
            out.write(bytes, 0, length);
            returned = length;
        } finally {
            record(SEND, System.nanoTime() - startNs, returned);
            counts.sent(returned);
        }
    }

    private void record(String operation, long latencyNs, int returned) {
        encoder.begin()
                .integer(latencyNs)
                .integer(returned)
                .integer(peerPort)
                .text(operation)
                .text(thread)
                .recordTo(sink);
    }
}
