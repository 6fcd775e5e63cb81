package dev.loom.server.client;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Closes a connection if nobody answers on it in time. */
final class GreetingDeadline implements AutoCloseable {
    private final SocketChannel socket;
    private final long limitNs;
    private final Thread thread = new Thread(this::await, "loom-sidecar-greeting");
    private volatile boolean passed;
    private volatile boolean ended;

    private GreetingDeadline(SocketChannel socket, long limitNs) {
        this.socket = socket;
        this.limitNs = limitNs;
    }

    static GreetingDeadline start(SocketChannel socket, long limitNs) {
        GreetingDeadline deadline = new GreetingDeadline(socket, limitNs);
        deadline.thread.setDaemon(true);
        deadline.thread.start();
        return deadline;
    }

    private void await() {
        long end = System.nanoTime() + limitNs;
        while (!ended && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(this, end - System.nanoTime());
        }
        if (!ended) {
            passed = true;
            try {
                socket.close();
            } catch (IOException e) {
                // the client waits no longer in any case
            }
        }
    }

    /** Says so if a failure comes from the deadline. */
    void check(IOException failure) throws IOException {
        if (passed) {
            throw new IOException("no answer: ms=" + TimeUnit.NANOSECONDS.toMillis(limitNs), failure);
        }
    }

    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(thread);
    }
}
