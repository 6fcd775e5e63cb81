package dev.loom.otlp.file;

import java.io.IOException;
import java.net.BindException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/** Unix domain sockets in the file system, accessible only to their owner. */
public final class SocketFile {
    private static final String NAME = "socket";

    private SocketFile() {}

    /**
     * Listens at a path; replaces a socket that a dead process left there.
     *
     * @throws IOException if something else is there, or another process listens there
     */
    public static ServerSocketChannel listen(Path path) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && isAlive(path)) {
            throw new BindException("can't listen: address=unix:" + path + ", reason=a process already listens there");
        }
        // created in a folder that nobody else can enter, so that it is never open to others
        Path folder = folderBeside(path);
        Path socket = folder.resolve(NAME);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            Files.move(socket, path, StandardCopyOption.ATOMIC_MOVE);
            return listener;
        } catch (IOException e) {
            listener.close();
            Files.deleteIfExists(socket);
            throw new IOException("can't listen: address=unix:" + path + ", reason=" + FileFailure.reason(e), e);
        } finally {
            Files.deleteIfExists(folder);
        }
    }

    /** Tells the file of a server that has just begun to listen from those that others make there later; null if it is gone. */
    public static @Nullable Object key(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    /** Deletes a server's file unless another one has its place. */
    public static void delete(Path path, @Nullable Object key) {
        if (key != null && key.equals(key(path))) {
            try {
                Files.delete(path);
            } catch (IOException e) {
                // gone, or the disk refuses: the next server replaces it
            }
        }
    }

    private static Path folderBeside(Path path) throws IOException {
        try {
            return Files.createTempDirectory(path.toAbsolutePath().getParent(), ".loom");
        } catch (IOException e) {
            throw new IOException(
                    "can't listen: address=unix:" + path + ", reason=can't create a folder next to it: "
                            + FileFailure.reason(e),
                    e);
        }
    }

    private static boolean isAlive(Path path) throws IOException {
        if (!isSocket(path)) {
            throw new IOException("can't listen: address=unix:" + path + ", reason=the file is not a socket");
        }
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            return probe.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isSocket(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
    }
}
