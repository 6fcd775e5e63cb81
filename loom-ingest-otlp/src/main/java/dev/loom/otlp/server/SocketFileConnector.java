package dev.loom.otlp.server;

import dev.loom.otlp.file.SocketFile;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;

/** Listens on a Unix domain socket whose file only its owner can open. Replaces the file of a dead server. */
final class SocketFileConnector extends WatchedConnector {
    private final Path file;
    private volatile @Nullable ServerSocketChannel listening;
    private volatile @Nullable Object key;

    SocketFileConnector(Server server, ByteBufferPool pool, Path file, ConnectionFactory... factories) {
        super(server, pool, factories);
        this.file = file;
    }

    @Override
    public void open() throws IOException {
        if (isOpen()) {
            return; // a server opens its connectors before it starts them, and then each opens itself again
        }
        listening = SocketFile.listen(file);
        key = SocketFile.key(file);
    }

    @Override
    public void accept(int acceptor) throws IOException {
        ServerSocketChannel channel = listening;
        if (channel != null && channel.isOpen()) {
            SocketChannel accepted = channel.accept();
            accepted.configureBlocking(false);
            getSelectorManager().accept(accepted);
        }
    }

    @Override
    public boolean isOpen() {
        ServerSocketChannel channel = listening;
        return channel != null && channel.isOpen();
    }

    @Override
    public void close() {
        ServerSocketChannel channel = listening;
        listening = null;
        if (channel != null) {
            IO.close(channel); // a failure must not keep the server from being stopped
            SocketFile.delete(file, key);
        }
    }
}
