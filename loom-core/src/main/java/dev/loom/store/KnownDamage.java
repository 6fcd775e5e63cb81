package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The damage that earlier repairs set aside: it counts as known as long as it is byte for byte as it was then. */
final class KnownDamage {
    private final Storage storage;
    private final Path store;
    private final Map<String, Copy> copies = new HashMap<>();

    private record Copy(Path directory, SetAside.Line line) {}

    KnownDamage(Storage storage, Path store) {
        this.storage = storage;
        this.store = store;
        for (Path directory : SetAside.directories(storage, store)) {
            for (SetAside.Line line : SetAside.lines(storage, directory)) {
                copies.put(key(line.kind(), line.file(), line.offset()), new Copy(directory, line));
            }
        }
    }

    private static String key(String kind, String file, long offset) {
        return kind + "\t" + file + "\t" + offset;
    }

    private String key(Damage kind, Path file, long offset) {
        return key(kind.name(), store.relativize(file).toString(), offset);
    }

    /** Whether damage that a repair leaves in its place was set aside, and is as it was. */
    boolean contains(Damage kind, Path file, long offset) {
        boolean stays = switch (kind) {
            case PAGE, MISSING, SHORT, CONTENTS -> file.startsWith(store.resolve(LogKind.RECORD.folder()));
            case SCHEMA -> true;
            case FOREIGN, AFTER_END, MARK -> false;
        };
        Copy copy = copies.isEmpty() || !stays ? null : copies.get(key(kind, file, offset));
        if (copy == null) {
            return false;
        }
        try {
            return copy.line.copy().isEmpty() ? unchanged(kind, file, offset) : same(file, copy, copy.line.from());
        } catch (StoreIoException e) {
            return false;
        }
    }

    /**
     * Whether a damaged page was set aside, and is as it was. Compression copies such a page as it is, to another place of its
     * segment's file.
     *
     * @param inSegment where the page is in a file that is not compressed
     */
    boolean containsPage(Path file, long offset, long inSegment) {
        if (contains(Damage.PAGE, file, offset)) {
            return true;
        }
        boolean stays = !copies.isEmpty() && file.startsWith(store.resolve(LogKind.RECORD.folder()));
        Copy copy = stays ? copies.get(key(Damage.PAGE, file, inSegment)) : null;
        try {
            return copy != null
                    && copy.line.from() == inSegment
                    && !copy.line.copy().isEmpty()
                    && same(file, copy, offset);
        } catch (StoreIoException e) {
            return false;
        }
    }

    private boolean unchanged(Damage kind, Path file, long offset) {
        if (kind == Damage.MISSING) {
            return !storage.exists(file);
        }
        try (LoomFile open = storage.openToRead(file)) {
            return open.size() == offset;
        }
    }

    private boolean same(Path file, Copy copy, long from) {
        SetAside.Line line = copy.line;
        ByteBuffer one = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
        ByteBuffer other = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
        try (LoomFile there = storage.openToRead(file);
                LoomFile aside = storage.openToRead(copy.directory.resolve(line.copy()))) {
            boolean same = aside.size() == line.length();
            for (long at = 0; same && at < line.length(); at += one.capacity()) {
                int length = (int) Math.min(one.capacity(), line.length() - at);
                int read = there.read(one.clear().limit(length), from + at);
                same = read == length
                        && aside.read(other.clear().limit(length), at) == length
                        && one.flip().equals(other.flip());
            }
            return same;
        }
    }
}
