package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.LenientStorage;
import dev.loom.io.LenientStorage.Unread;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.FilePart;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies of what a repair could not rebuild, in a directory of the store, with a list that says what each was. A copy and its
 * line in the list are durable before anything else changes; so a crash leaves at most a copy too many. For one thread.
 */
final class SetAside {
    static final String FOLDER = "set-aside";
    static final String LIST = "contents.txt";

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final String HEADER = """
            # What loom verify --repair found and could not rebuild. The copies are as the files were, as far as the disk delivered them.
            # While this directory exists, and the damage is as it was then, loom verify reports it as known.
            # kind, file, offset of the problem, from, length, copy if there was anything to copy, reason
            """;

    private final LenientStorage storage;
    private final Path store;
    private final Listener listener;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
    private @Nullable Path directory;
    private long listEnd;

    /** Is told of each thing that was set aside. */
    interface Listener {
        /**
         * Called once it is durable.
         *
         * @param copy null if there was nothing to copy, as of a file that is missing
         */
        void onSetAside(Path file, long offset, String reason, @Nullable Path copy);
    }

    /**
     * A line of a list.
     *
     * @param copy the file in the same directory that has {@code length} bytes {@code from} an offset of the file; empty for
     *     none
     */
    record Line(String kind, String file, long offset, long from, long length, String copy) {
        static @Nullable Line parse(String text) {
            String[] fields = text.split("\t", -1);
            try {
                return text.startsWith("#") || fields.length < 6
                        ? null
                        : new Line(
                                fields[0],
                                fields[1],
                                Long.parseLong(fields[2]),
                                Long.parseLong(fields[3]),
                                Long.parseLong(fields[4]),
                                fields[5]);
            } catch (NumberFormatException e) {
                return null;
            }
        }
    }

    /** @param storage read leniently: what can be copied is worth more than none of it */
    SetAside(Storage storage, Path store, Listener listener) {
        this.storage = LenientStorage.of(storage, new StoreFiles(store).mark());
        this.store = store;
        this.listener = listener;
    }

    /** The directories of earlier repairs, oldest first. */
    static List<Path> directories(Storage storage, Path store) {
        return storage.list(store.resolve(FOLDER));
    }

    /** The lines of a directory's list; a line that was cut by a crash does not count. */
    static List<Line> lines(Storage storage, Path directory) {
        Path list = directory.resolve(LIST);
        List<Line> lines = new ArrayList<>();
        if (!storage.exists(list)) {
            return lines;
        }
        try (LoomFile file = storage.openToRead(list)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), Integer.MAX_VALUE >> 1));
            file.read(bytes, 0);
            String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
            for (String each : text.substring(0, text.lastIndexOf('\n') + 1).split("\n", -1)) {
                Line line = Line.parse(each);
                if (line != null) {
                    lines.add(line);
                }
            }
        }
        return lines;
    }

    /** Where it puts things, or null if there was nothing so far. */
    @Nullable
    Path directory() {
        return directory;
    }

    /** Notes what is missing. */
    void note(Damage kind, Path file, long offset, String reason) {
        list(kind, file, offset, offset, 0, "", reason);
        listener.onSetAside(file, offset, reason, null);
    }

    /**
     * Copies a part of a file.
     *
     * @param offset the offset of the problem
     * @param length how much to copy from {@code from} on, as far as the file reaches
     */
    void copy(Damage kind, Path file, long offset, long from, long length, String reason) {
        Path name = store.relativize(file);
        String suffix = from == 0 && length == FilePart.TO_END ? "" : "." + from;
        if (length != FilePart.TO_END && length != PageDescriptor.PAGE_LENGTH) {
            suffix += "-" + length; // another part may begin there
        }
        Path folder = Objects.requireNonNull(begin().resolve(name).getParent());
        Path copy = folder.resolve(name.getFileName() + suffix);
        if (!storage.exists(folder)) {
            storage.createDirectories(folder);
            storage.syncDirectory(begin());
        }
        long copied = copy(file, from, length, copy);
        storage.syncDirectory(folder);
        List<Unread> unread = storage.unread(file, from, copied);
        String full = unread.isEmpty()
                ? reason
                : reason + "; the disk does not deliver, and the copy has 0xff for, bytes=" + unread;
        list(kind, file, offset, from, copied, begin().relativize(copy).toString(), full);
        listener.onSetAside(file, offset, full, copy);
    }

    /** What of a file the disk did not deliver, as far as it was read. */
    List<Unread> unread(Path file) {
        return storage.unread(file, 0, FilePart.TO_END);
    }

    private long copy(Path file, long from, long length, Path copy) {
        try (LoomFile source = storage.openToRead(file);
                LoomFile target = storage.openToWrite(copy, false)) {
            long end = from + new FilePart(from, length).lengthIn(source.size());
            long at = from;
            while (at < end) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), end - at));
                int read = source.read(buffer, at);
                if (read <= 0) {
                    break;
                }
                target.write(buffer.flip(), at - from);
                at += read;
            }
            target.force();
            return at - from;
        } catch (StoreIoException e) {
            giveUp(copy);
            throw new StoreIoException(
                    "can't be set aside, and stays as it is: file=" + file + ", copy=" + copy + ", reason="
                            + e.getMessage(),
                    e);
        }
    }

    /** Gives the room of a copy back, in case the disk is full. */
    private void giveUp(Path copy) {
        try {
            storage.delete(copy);
        } catch (StoreIoException e) {
            // a copy that no list names means nothing
        }
    }

    private void list(Damage kind, Path file, long offset, long from, long length, String copy, String reason) {
        Path list = begin().resolve(LIST);
        String line = String.join(
                        "\t",
                        kind.name(),
                        plain(store.relativize(file).toString()),
                        "" + offset,
                        "" + from,
                        "" + length,
                        plain(copy),
                        plain(reason))
                + "\n";
        try (LoomFile open = storage.openToWrite(list, false)) {
            byte[] bytes = ((listEnd == 0 ? HEADER : "") + line).getBytes(StandardCharsets.UTF_8);
            ByteBuffer direct =
                    ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
            open.write(direct, listEnd);
            open.force();
            listEnd += bytes.length;
        }
        storage.syncDirectory(begin());
    }

    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Makes the directory with the first thing to put into it. */
    private Path begin() {
        Path made = directory;
        if (made == null) {
            Path parent = store.resolve(FOLDER);
            String name = TIME.format(Instant.now());
            made = parent.resolve(name);
            for (int i = 2; storage.exists(made); i++) {
                made = parent.resolve(name + "-" + i);
            }
            storage.createDirectories(made);
            storage.syncDirectory(parent);
            storage.syncDirectory(store);
            directory = made;
        }
        return made;
    }
}
