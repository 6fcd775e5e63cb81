package dev.loom.cli.export;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.otlp.file.FileFailure;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A file that appears under its name only when it is complete: it is written under another name beside it, made durable, then
 * renamed. A symbolic link stays, and its target is written so. What is no regular file, such as a named pipe, is written as it is.
 * For one thread.
 */
final class ExportFile implements AutoCloseable {
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Begins the other name, which has to be no longer than a file system allows: 32 characters are 128 bytes at most. */
    private static final int NAME_CHARACTERS = 32;

    private final Path target;
    /** The file's name until it is complete; null for what is no regular file. */
    private final @Nullable Path partial;

    private final boolean overwrite;
    private final FileChannel channel;
    private final DataOutput out;
    private boolean complete;

    private ExportFile(Path target, @Nullable Path partial, boolean overwrite, FileChannel channel) {
        this.target = target;
        this.partial = partial;
        this.overwrite = overwrite;
        this.channel = channel;
        OutputStream stream = Channels.newOutputStream(channel);
        this.out = new DataOutput(stream, false);
    }

    /**
     * Creates the file under its other name.
     *
     * @param name of the file, or of a symbolic link to where it is, or is to be
     * @throws CommandFailure if the file exists, unless it may be overwritten, or can't be created
     */
    static ExportFile create(Path name, boolean overwrite) {
        if (Files.isDirectory(name)) {
            throw CommandFailure.usage("can't write the export: file=" + name + ", reason=is a directory");
        }
        try {
            if (Files.exists(name) && !Files.isRegularFile(name)) {
                return new ExportFile(name, null, true, FileChannel.open(name, StandardOpenOption.WRITE));
            }
            Path target = followed(name);
            requireAbsent(target, overwrite);
            Path partial = target.resolveSibling(partialName(target));
            FileChannel channel = FileChannel.open(
                    partial, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), OWNER_ONLY);
            return new ExportFile(target, partial, overwrite, channel);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.USAGE, FileFailure.message("can't write the export", name, e), e);
        }
    }

    /** Where symbolic links lead, which need not exist. */
    private static Path followed(Path name) throws IOException {
        try {
            // the system may refuse what the steps below do not: a loop, another user's link in a directory of all
            // users, a long name
            Files.readAttributes(name, BasicFileAttributes.class);
        } catch (NoSuchFileException e) {
            // the file is to be created
        }
        Path at = name;
        while (Files.isSymbolicLink(at)) {
            at = at.resolveSibling(Files.readSymbolicLink(at));
        }
        return at;
    }

    private static String partialName(Path target) {
        StringBuilder name = new StringBuilder(".");
        String.valueOf(target.getFileName()).codePoints().limit(NAME_CHARACTERS).forEach(name::appendCodePoint);
        return name + "." + UUID.randomUUID().toString().substring(0, 8) + ".part";
    }

    private static void requireAbsent(Path target, boolean overwrite) {
        if (!overwrite && Files.exists(target)) {
            throw CommandFailure.usage("file exists: file=" + target + "; --force overwrites it");
        }
    }

    /** Where to write. */
    DataOutput out() {
        return out;
    }

    /**
     * Makes the file durable and gives it its name.
     *
     * @throws CommandFailure if another file has taken the name meanwhile
     */
    void complete() throws IOException {
        out.flush();
        Path written = partial;
        if (written != null) {
            channel.force(true);
            channel.close();
            requireAbsent(target, overwrite);
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            complete = true;
            syncDirectory();
        }
    }

    private void syncDirectory() {
        Path directory = target.toAbsolutePath().getParent();
        try (FileChannel opened = FileChannel.open(directory, StandardOpenOption.READ)) {
            opened.force(true);
        } catch (IOException e) {
            // not every file system can; the file itself is durable
        }
    }

    /** Deletes what is written so far, while another thread may hang in writing it; true if there was something. Usable from any thread. */
    boolean abandon() {
        try {
            return partial != null && Files.deleteIfExists(partial);
        } catch (IOException e) {
            return false;
        }
    }

    /** Closes the file; deletes it unless it is complete. */
    @Override
    public void close() throws IOException {
        channel.close();
        if (!complete && partial != null) {
            Files.deleteIfExists(partial);
        }
    }
}
