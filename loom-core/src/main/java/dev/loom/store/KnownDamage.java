package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.LenientStorage;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.FilePart;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PagePlace;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The damage that earlier repairs set aside: it counts as known as long as it is byte for byte as it was then. */
final class KnownDamage {
    private final Storage storage;
    private final Path store;
    private final Map<String, Copy> copies = new HashMap<>();

    private record Copy(Path directory, SetAside.Line line) {}

    KnownDamage(Storage storage, Path store) {
        this.storage = LenientStorage.of(storage, new StoreFiles(store).mark()); // as the copies were made
        this.store = store;
        for (Path directory : SetAside.directories(storage, store)) {
            for (SetAside.Line line : SetAside.lines(storage, directory)) {
                copies.put(key(line.kind(), line.file(), line.offset(), line.from()), new Copy(directory, line));
            }
        }
    }

    private static String key(String kind, String file, long offset, long from) {
        return kind + "\t" + file + "\t" + offset + "\t" + from;
    }

    private @Nullable Copy copy(Damage kind, Path file, long offset, long from) {
        return copies.get(key(kind.name(), store.relativize(file).toString(), offset, from));
    }

    /**
     * Whether damage that a repair leaves in its place was set aside, and is as it was.
     *
     * @param parts all that is damaged; empty if the file is missing or ends early
     */
    boolean contains(Damage kind, Path file, long offset, List<FilePart> parts) {
        boolean stays = switch (kind) {
            case PAGE, MISSING, SHORT, CONTENTS -> file.startsWith(store.resolve(LogKind.RECORD.folder()));
            case SCHEMA -> true;
            case FOREIGN, AFTER_END, MARK, OPEN_PAGE -> false;
        };
        if (copies.isEmpty() || !stays) {
            return false;
        }
        try {
            return parts.isEmpty()
                    ? copy(kind, file, offset, offset) != null && unchanged(kind, file, offset)
                    : parts.stream().allMatch(part -> same(file, part, copy(kind, file, offset, part.from()), kind));
        } catch (StoreIoException e) {
            return false;
        }
    }

    /**
     * Whether a damaged page was set aside before its segment was compressed. Compression copies such a page as it is, to another
     * place of its segment's file.
     *
     * @param inSegment where the page is in a file that is not compressed
     */
    boolean containsMoved(Path file, PagePlace place, long inSegment) {
        if (copies.isEmpty() || !place.plain() || !file.startsWith(store.resolve(LogKind.RECORD.folder()))) {
            return false;
        }
        FilePart page = new FilePart(place.offset(), PageDescriptor.PAGE_LENGTH);
        try {
            return same(file, page, copy(Damage.PAGE, file, inSegment, inSegment), Damage.PAGE);
        } catch (StoreIoException e) {
            return false;
        }
    }

    private boolean unchanged(Damage kind, Path file, long offset) {
        if (kind == Damage.MISSING) {
            return !storage.exists(file) || Files.isDirectory(file);
        }
        try (LoomFile open = storage.openToRead(file)) {
            return open.size() == offset;
        }
    }

    /** Whether a part of a file is byte for byte as a copy, and as long. The schema goes on behind what was copied of it. */
    private boolean same(Path file, FilePart part, @Nullable Copy copy, Damage kind) {
        if (copy == null || copy.line.copy().isEmpty()) {
            return false;
        }
        SetAside.Line line = copy.line;
        ByteBuffer one = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
        ByteBuffer other = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
        try (LoomFile there = storage.openToRead(file);
                LoomFile aside = storage.openToRead(copy.directory.resolve(line.copy()))) {
            boolean same = aside.size() == line.length()
                    && (kind == Damage.SCHEMA || part.lengthIn(there.size()) == line.length());
            for (long at = 0; same && at < line.length(); at += one.capacity()) {
                int length = (int) Math.min(one.capacity(), line.length() - at);
                int read = there.read(one.clear().limit(length), part.from() + at);
                same = read == length
                        && aside.read(other.clear().limit(length), at) == length
                        && one.flip().equals(other.flip());
            }
            return same;
        }
    }
}
