package dev.loom.otlp.server;

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

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        SocketChannelEndPoint endPoint = new WatchedEndPoint(channel, selector, key, getScheduler(), getExecutor());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }
}
