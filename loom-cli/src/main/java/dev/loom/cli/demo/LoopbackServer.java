package dev.loom.cli.demo;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Serves one connection to a loopback socket after the other, until it is closed. For one thread, except {@link #close}. */
abstract class LoopbackServer implements Callable<@Nullable Void>, AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());

    LoopbackServer() throws IOException {}

    /** Serves a connection until its client closes it. */
    abstract void serve(Socket client) throws Exception;

    final int port() {
        return listener.getLocalPort();
    }

    @Override
    public final @Nullable Void call() throws Exception {
        while (!listener.isClosed()) {
            try (Socket client = listener.accept()) {
                client.setTcpNoDelay(true);
                serve(client);
            } catch (SocketException e) {
                // closed, or the client has gone: both are normal
            }
        }
        return null;
    }

    static DataInputStream buffered(InputStream in) {
        return new DataInputStream(new BufferedInputStream(in));
    }

    /** Accepts no more connections; the client ends the existing one. */
    @Override
    public final void close() throws IOException {
        listener.close();
    }
}
