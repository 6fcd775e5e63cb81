package dev.loom.otlp.file;

import java.io.IOException;
import java.net.BindException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.Charset;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Unix domain sockets in the file system, accessible only to their owner. */
public final class SocketFile {
    private static final String NAME = "s";

    /** The most bytes of a socket's path, by which clients have to connect as well. */
    private static final int PATH_MAX = 106;

    /** Of the folder in which a socket is made: its path there is as long as one whose name has 7 bytes. */
    private static final int FOLDER_DIGITS = 4;

    private static final int FOLDERS_MAX = 1_000;

    private SocketFile() {}

    /**
     * Listens at a path; replaces a socket that a dead process left there.
     *
     * @throws IOException if something else is there, another process listens there, or the path is too long
     */
    public static ServerSocketChannel listen(Path path) throws IOException {
        int length = path.toString().getBytes(Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"))).length;
        if (length > PATH_MAX) {
            throw new IOException("can't listen: address=unix:" + path + ", reason=path is too long: bytes=" + length
                    + ", max=" + PATH_MAX);
        }
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
        IOException failure = new IOException("no name is free");
        for (int i = 0; i < FOLDERS_MAX; i++) {
            String digits = Integer.toString(ThreadLocalRandom.current().nextInt(1 << (5 * FOLDER_DIGITS)), 32);
            try {
                return Files.createDirectory(
                        path.resolveSibling("." + digits),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException e) {
                failure = e;
            } catch (IOException e) {
                failure = e;
                break;
            }
        }
        throw new IOException(
                "can't listen: address=unix:" + path + ", reason=can't create a folder next to it: "
                        + FileFailure.reason(failure),
                failure);
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
