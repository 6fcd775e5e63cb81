package dev.loom.cli.demo;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sits between clients and server on a loopback socket, forwards each message as one packet, and records it as it leaves. It has
 * a bug: following its {@link Schedule} it flips a bit of a request's length field. Two threads per connection.
 */
final class PacketFilter implements AutoCloseable {
    /** Bytes kept of each packet. */
    static final int CAPTURED_LENGTH_MAX = 48;

    private static final String REQUEST = "request";
    private static final String REPLY = "reply";

    private final int serverPort;
    private final Schedule schedule;
    private final TelemetrySink sink;
    private final Workers workers;
    private final ServerSocket listener;

    /** Starts to listen. Its threads belong to {@code workers}. */
    PacketFilter(int serverPort, Schedule schedule, TelemetrySink sink, Workers workers) throws IOException {
        this.serverPort = serverPort;
        this.schedule = schedule;
        this.sink = sink;
        this.workers = workers;
        this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        workers.start("filter-accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Accepts no more connections; the peers end the existing ones. */
    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void accept() throws IOException {
        int links = 0;
        while (!listener.isClosed()) {
            Socket client;
            try {
                client = listener.accept();
            } catch (SocketException e) {
                if (listener.isClosed()) {
                    return;
                }
                throw e;
            }
            links++;
            Link link = new Link(client, new Socket(InetAddress.getLoopbackAddress(), serverPort));
            workers.start("filter-requests-" + links, link::passRequests);
            workers.start("filter-replies-" + links, link::passReplies);
        }
    }

    /** A client's connection and the matching one to the server; closed when both directions have ended. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private final AtomicInteger directionsOpen = new AtomicInteger(2);

        Link(Socket client, Socket server) throws IOException {
            this.client = client;
            this.server = server;
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        }

        void passRequests() throws IOException {
            try {
                PayloadEncoder encoder = new PayloadEncoder(DemoSource.PACKETS);
                FrameReader reader = new FrameReader(client.getInputStream()::read);
                OutputStream out = server.getOutputStream();
                while (reader.next()) {
                    FrameFlyweight frame = reader.frame();
                    int length = frame.frameLength();
                    int bit = schedule.mangledBit(frame.requestId());
                    if (bit != Schedule.NONE) {
                        frame.bodyLength(frame.bodyLength() ^ (1 << bit));
                    }
                    record(encoder, frame, length, server.getLocalPort(), serverPort, REQUEST);
                    out.write(frame.bytes(), 0, length);
                }
            } catch (SocketException e) {
                // The client closed with a reply on its way: a normal end.
            } finally {
                endRequests();
            }
        }

        void passReplies() throws IOException {
            try {
                PayloadEncoder encoder = new PayloadEncoder(DemoSource.PACKETS);
                FrameReader reader = new FrameReader(server.getInputStream()::read);
                OutputStream out = client.getOutputStream();
                boolean clientGone = false;
                while (reader.next()) {
                    FrameFlyweight frame = reader.frame();
                    record(encoder, frame, frame.frameLength(), serverPort, server.getLocalPort(), REPLY);
                    // Read on when the client has gone: closing with unread bytes would reset the server's connection.
                    clientGone = clientGone || !written(out, frame);
                }
            } finally {
                endDirection();
            }
        }

        private boolean written(OutputStream out, FrameFlyweight frame) throws IOException {
            try {
                out.write(frame.bytes(), 0, frame.frameLength());
                return true;
            } catch (SocketException e) {
                return false;
            }
        }

        private void endRequests() throws IOException {
            try {
                server.shutdownOutput();
            } finally {
                endDirection();
            }
        }

        private void endDirection() throws IOException {
            if (directionsOpen.decrementAndGet() == 0) {
                try (client;
                        server) {
                    // both are closed, whichever fails
                }
            }
        }
    }

    private void record(
            PayloadEncoder encoder, FrameFlyweight frame, int length, int sourcePort, int destinationPort, String way) {
        encoder.begin()
                .integer(length)
                .integer(frame.bodyLength())
                .integer(sourcePort)
                .integer(destinationPort)
                .text(way)
                .bytes(frame.buffer(), Math.min(length, CAPTURED_LENGTH_MAX))
                .recordTo(sink);
    }
}
