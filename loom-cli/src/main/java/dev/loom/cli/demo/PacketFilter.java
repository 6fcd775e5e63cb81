package dev.loom.cli.demo;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sits between client and server, forwards each message as one packet, and records it as it leaves. It has a bug: a few times in
 * a run it flips one bit of a request's length field; a seed determines which. One thread runs it and forwards the
 * requests, another one the replies; the ids of the damaged requests may be asked for from any thread.
 */
final class PacketFilter implements AutoCloseable {
    /**
     * Bits from here to {@link #BIT_MAX} are set in no request's length field, but a reader would believe them and wait for more.
     */
    private static final int BIT_MIN = 8;

    private static final int BIT_MAX = 14;

    private final int serverPort;
    private final Workload.Plan plan;
    private final Telemetry telemetry;
    private final Workload.Threads threads;
    private final SplittableRandom random;
    private final ServerSocket listener;
    private final Set<Long> damagedIds = ConcurrentHashMap.newKeySet();

    PacketFilter(int serverPort, Workload.Plan plan, Telemetry telemetry, Workload.Threads threads) throws IOException {
        this.serverPort = serverPort;
        this.plan = plan;
        this.telemetry = telemetry;
        this.threads = threads;
        random = new SplittableRandom(plan.seed());
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    int port() {
        return listener.getLocalPort();
    }

    /** The requests damaged so far. */
    Set<Long> damagedIds() {
        return Set.copyOf(damagedIds);
    }

    /** Forwards one connection after the other until it is closed. */
    void run() throws IOException, InterruptedException {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Thread replies = threads.start("filter-replies", () -> passReplies(server, client));
                try {
                    passRequests(client, server);
                } finally {
                    end(server, replies);
                }
            } catch (SocketException e) {
                // closed, or the client closed with a reply on its way: both are normal
            }
        }
    }

    /** Accepts no more connections; the client ends the existing one. */
    @Override
    public void close() throws IOException {
        listener.close();
    }

    private static void end(Socket server, Thread replies) throws IOException, InterruptedException {
        try {
            server.shutdownOutput();
        } finally {
            replies.join();
        }
    }

    private void passRequests(Socket client, Socket server) throws IOException {
        DataInputStream in = input(client);
        OutputStream out = server.getOutputStream();
        for (byte[] request = Frame.read(in); request != null; request = Frame.read(in)) {
            long receivedNs = System.nanoTime();
            damage(request);
            telemetry.packet(request, server.getLocalPort(), serverPort, System.nanoTime() - receivedNs);
            out.write(request);
        }
    }

    private void passReplies(Socket server, Socket client) throws IOException {
        DataInputStream in = input(server);
        OutputStream out = client.getOutputStream();
        boolean clientGone = false;
        for (byte[] reply = Frame.read(in); reply != null; reply = Frame.read(in)) {
            long receivedNs = System.nanoTime();
            telemetry.packet(reply, serverPort, server.getLocalPort(), System.nanoTime() - receivedNs);
            // Read on when the client has gone: closing with unread bytes would reset the server's connection.
            clientGone = clientGone || !written(out, reply);
        }
    }

    private static boolean written(OutputStream out, byte[] reply) throws IOException {
        try {
            out.write(reply);
            return true;
        } catch (SocketException e) {
            return false;
        }
    }

    /** The bug. A request is damaged once at most: its second attempt passes. */
    private void damage(byte[] request) {
        if (telemetry.on() && plan.damageIsDue(damagedIds.size()) && damagedIds.add(Frame.requestId(request))) {
            int bit = random.nextInt(BIT_MIN, BIT_MAX + 1);
            Frame.bodyLength(request, Frame.bodyLength(request) ^ (1 << bit));
        }
    }

    private static DataInputStream input(Socket socket) throws IOException {
        return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }
}
