package dev.loom.cli.demo;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Sits between client and server, forwards each message as one packet, and records it as it leaves. It has a bug: a few times in
 * a run it flips one bit of a request's length field; a seed determines which. One thread runs it and forwards the
 * requests, another one the replies; the ids of the damaged requests may be asked for from any thread.
 */
final class PacketFilter extends LoopbackServer {
    /**
     * Bits from here to {@link #BIT_MAX} are set in no request's length field, but a reader would believe them and wait for more.
     */
    private static final int BIT_MIN = 8;

    private static final int BIT_MAX = 14;

    private final int serverPort;
    private final IntPredicate damageIsDue;
    private final Telemetry telemetry;
    private final ExecutorService threads;
    private final SplittableRandom random;
    private final Set<Long> damagedIds = ConcurrentHashMap.newKeySet();

    /** @param damageIsDue whether to damage a request, by how many it has damaged */
    PacketFilter(int serverPort, long seed, IntPredicate damageIsDue, Telemetry telemetry, ExecutorService threads)
            throws IOException {
        this.serverPort = serverPort;
        this.damageIsDue = damageIsDue;
        this.telemetry = telemetry;
        this.threads = threads;
        random = new SplittableRandom(seed);
    }

    /** The requests damaged so far. */
    Set<Long> damagedIds() {
        return Set.copyOf(damagedIds);
    }

    @Override
    void serve(Socket client) throws IOException, InterruptedException, ExecutionException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
            server.setTcpNoDelay(true);
            Future<?> replies = threads.submit(() -> passReplies(server, client));
            try {
                passRequests(client, server);
            } finally {
                end(server, replies);
            }
        }
    }

    private static void end(Socket server, Future<?> replies)
            throws IOException, InterruptedException, ExecutionException {
        try {
            server.shutdownOutput();
        } finally {
            replies.get();
        }
    }

    private void passRequests(Socket client, Socket server) throws IOException {
        DataInputStream in = buffered(client.getInputStream());
        OutputStream out = server.getOutputStream();
        for (byte[] request = Frame.read(in); request != null; request = Frame.read(in)) {
            long receivedNs = System.nanoTime();
            damage(request);
            telemetry.packet(request, server.getLocalPort(), serverPort, System.nanoTime() - receivedNs);
            out.write(request);
        }
    }

    private @Nullable Void passReplies(Socket server, Socket client) throws IOException {
        DataInputStream in = buffered(server.getInputStream());
        OutputStream out = client.getOutputStream();
        boolean clientGone = false;
        for (byte[] reply = Frame.read(in); reply != null; reply = Frame.read(in)) {
            long receivedNs = System.nanoTime();
            telemetry.packet(reply, serverPort, server.getLocalPort(), System.nanoTime() - receivedNs);
            // Read on when the client has gone: closing with unread bytes would reset the server's connection.
            clientGone = clientGone || !written(out, reply);
        }
        return null;
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
        if (telemetry.on() && damageIsDue.test(damagedIds.size()) && damagedIds.add(Frame.requestId(request))) {
            int bit = random.nextInt(BIT_MIN, BIT_MAX + 1);
            Frame.bodyLength(request, Frame.bodyLength(request) ^ (1 << bit));
        }
    }
}
