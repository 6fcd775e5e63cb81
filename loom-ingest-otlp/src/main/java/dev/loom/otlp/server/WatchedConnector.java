package dev.loom.otlp.server;

import dev.loom.otlp.file.FileFailure;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** Listens for connections whose end can be noticed while a request is answered. */
class WatchedConnector extends ServerConnector {
    WatchedConnector(Server server, ByteBufferPool pool, ConnectionFactory... factories) {
        super(server, null, null, pool, 1, 1, factories);
    }

    /** Jetty's own message leaves out why. */
    @Override
    public void open() throws IOException {
        try {
            super.open();
        } catch (IOException e) {
            IOException reason = e.getCause() instanceof IOException cause ? cause : e;
            throw new IOException(
                    "can't listen: address=" + getHost() + ":" + getPort() + ", reason=" + FileFailure.reason(reason),
                    e);
        }
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        SocketChannelEndPoint endPoint = new WatchedEndPoint(channel, selector, key, getScheduler(), getExecutor());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }
}
