package dev.loom.otlp.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where a server listens: a host and port, or a Unix domain socket.
 *
 * @param host name or address; empty for a Unix domain socket
 * @param port 0 to 65,535; 0 for any free port
 * @param socket the file of the Unix domain socket; null for a host and port
 */
public record Endpoint(String host, int port, @Nullable Path socket) {
    /** Checks the port. */
    public Endpoint {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port out of range: port=" + port + ", min=0, max=65535");
        }
    }

    /**
     * Parses the form used in the Collector's settings.
     *
     * @param text {@code localhost:4317}, {@code [::1]:4317}, {@code unix:/run/loom/otlp.sock}
     * @throws IllegalArgumentException if it has none of these forms
     */
    public static Endpoint parse(String text) {
        if (text.startsWith("unix:")) {
            String path = text.substring("unix:".length()).replaceFirst("^//", "");
            if (path.isEmpty()) {
                throw new IllegalArgumentException("endpoint has no file path: endpoint=" + text);
            }
            return new Endpoint("", 0, Path.of(path));
        }
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (host.isEmpty() || (!bracketed && host.indexOf(':') >= 0)) {
            throw new IllegalArgumentException("endpoint is not host:port or unix:path: endpoint=" + text);
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            return new Endpoint(bracketed ? host.substring(1, host.length() - 1) : host, port, null);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("endpoint has no port: endpoint=" + text, e);
        }
    }

    /** Whether only processes on this machine can reach it. */
    public boolean isLocal() {
        try {
            return socket != null || InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /**
     * The address to connect to or to listen at.
     *
     * @throws UnknownHostException if the host has no address
     */
    public SocketAddress address() throws UnknownHostException {
        return socket == null
                ? new InetSocketAddress(InetAddress.getByName(host), port)
                : UnixDomainSocketAddress.of(socket);
    }

    /** The form that {@link #parse} reads. */
    @Override
    public String toString() {
        if (socket != null) {
            return "unix:" + socket;
        }
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
