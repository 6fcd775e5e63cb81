package dev.loom.cli.ingest;

import dev.loom.cli.console.CommandFailure;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.file.InvalidPathException;

/** Where a sidecar listens: {@code HOST:PORT}, {@code [IPV6]:PORT} or {@code unix:PATH}. */
public record SocketName(String text, SocketAddress address) {
    private static final String UNIX = "unix:";
    private static final int PORT_MAX = 65_535;

    /**
     * Reads one.
     *
     * @throws CommandFailure for another text, and for a host without an address
     */
    public static SocketName parse(String text) {
        if (text.startsWith(UNIX)) {
            return new SocketName(text, unixAddress(text));
        }
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.isEmpty() || (host.indexOf(':') >= 0 && !host.startsWith("["))) {
            throw CommandFailure.usage("not an address: " + text + "; as HOST:PORT, [::1]:PORT or unix:PATH");
        }
        InetSocketAddress address = new InetSocketAddress(host, port(text, text.substring(colon + 1)));
        if (address.isUnresolved()) {
            throw CommandFailure.usage("no such host: " + text);
        }
        return new SocketName(text, address);
    }

    private static SocketAddress unixAddress(String text) {
        try {
            return UnixDomainSocketAddress.of(text.substring(UNIX.length()));
        } catch (InvalidPathException e) {
            throw CommandFailure.usage("not a path: " + text);
        }
    }

    private static int port(String text, String digits) {
        try {
            int port = Integer.parseInt(digits);
            if (port >= 0 && port <= PORT_MAX) {
                return port;
            }
        } catch (NumberFormatException e) {
            // the same as out of range
        }
        throw CommandFailure.usage("not a port: " + text + "; from 0 to " + PORT_MAX);
    }

    /** Whether nobody but this machine can reach it. */
    public boolean local() {
        return !(address instanceof InetSocketAddress internet)
                || internet.getAddress().isLoopbackAddress();
    }

    public StandardProtocolFamily family() {
        if (!(address instanceof InetSocketAddress internet)) {
            return StandardProtocolFamily.UNIX;
        }
        return internet.getAddress().getAddress().length == 4
                ? StandardProtocolFamily.INET
                : StandardProtocolFamily.INET6;
    }
}
