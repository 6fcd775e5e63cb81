package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.MappedFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's staging: the mapped rings and the live state, in a directory of its own.
 *
 * @param rings by {@link LogKind#index()}
 * @param fallback why it is not on tmpfs, though nobody said where to put it; null otherwise
 */
record Staging(
        Path directory,
        LiveFile live,
        List<MappedFile> rings,
        @Nullable String fallback) {
    private static final Path TMPFS = Path.of("/dev/shm");

    /** What a new session needs. */
    record Request(@Nullable Path parent, Path fallback, long storeId, long nonce, int epoch, List<Integer> rings) {
        long length() {
            return rings.stream().mapToLong(Integer::longValue).sum() + LiveFile.LENGTH;
        }

        String name() {
            return "loom-" + Long.toHexString(storeId) + "-" + Long.toHexString(nonce);
        }
    }

    /** Makes staging on tmpfs, or where it was asked for, or else beside the store. */
    static Staging create(Storage storage, Request request) {
        Path asked = request.parent();
        if (asked != null) {
            storage.createDirectories(asked);
            return createIn(storage, request, asked, null);
        }
        String reason = unfit(request.length());
        if (reason == null) {
            try {
                return createIn(storage, request, TMPFS, null);
            } catch (StoreIoException e) {
                reason = String.valueOf(e.getMessage());
            }
        }
        storage.createDirectories(request.fallback());
        return createIn(storage, request, request.fallback(), reason);
    }

    private static @Nullable String unfit(long length) {
        try {
            if (!Files.isDirectory(TMPFS) || !Files.isWritable(TMPFS)) {
                return "no tmpfs: directory=" + TMPFS;
            }
            long usable = Files.getFileStore(TMPFS).getUsableSpace();
            return usable >= length
                    ? null
                    : "tmpfs too small: directory=" + TMPFS + ", needed=" + length + ", free=" + usable;
        } catch (IOException e) {
            return "tmpfs can't be read: directory=" + TMPFS + ", reason=" + e;
        }
    }

    private static Staging createIn(Storage storage, Request request, Path parent, @Nullable String fallback) {
        Path directory = parent.resolve(request.name());
        try {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new StoreIoException("staging can't be created: directory=" + directory + ", reason=" + e, e);
        }
        try {
            List<MappedFile> rings = new ArrayList<>();
            for (LogKind kind : LogKind.values()) {
                rings.add(MappedFile.create(
                        storage, ring(directory, kind), request.rings().get(kind.index())));
            }
            LiveFile live =
                    LiveFile.create(storage, live(directory), request.storeId(), request.nonce(), request.epoch());
            return new Staging(directory, live, List.copyOf(rings), fallback);
        } catch (RuntimeException e) {
            delete(storage, directory);
            throw e;
        }
    }

    /**
     * Maps the staging that a mark speaks of; null when it is gone, of another boot, or not the mark's own.
     *
     * @throws StoreIoException when it is there and can't be read
     */
    static @Nullable Staging openTrusted(Storage storage, Mark mark, String bootId) {
        Path directory = mark.staging();
        if (mark.closed() || !mark.owner().bootId().equals(bootId) || !storage.exists(live(directory))) {
            return null;
        }
        try {
            LiveFile live = LiveFile.open(storage, live(directory));
            if (!live.belongsTo(mark)) {
                return null;
            }
            List<MappedFile> rings = new ArrayList<>();
            boolean whole = true;
            for (LogKind kind : LogKind.values()) {
                MappedFile ring = MappedFile.open(storage, ring(directory, kind), false);
                whole &= ring.length() == mark.ringLength(kind);
                rings.add(ring);
            }
            return whole ? new Staging(directory, live, List.copyOf(rings), null) : null;
        } catch (StoreIoException e) {
            // what can't be read now may hold records, so it may not count as gone
            if (whole(storage, directory)) {
                throw e;
            }
            return null;
        }
    }

    private static boolean whole(Storage storage, Path directory) {
        boolean whole = storage.exists(live(directory));
        for (LogKind kind : LogKind.values()) {
            whole = whole && storage.exists(ring(directory, kind));
        }
        return whole;
    }

    /** Deletes what a crash left of the last session's staging after its store was marked closed. */
    static void deleteStale(Storage storage, Mark closed) {
        Path directory = closed.staging();
        if (!directory.isAbsolute() || !storage.exists(live(directory))) {
            return;
        }
        LiveFile live = LiveFile.open(storage, live(directory));
        boolean stale = live.isOfSession(closed);
        live.file().unmap();
        if (stale) {
            delete(storage, directory);
        }
    }

    /** The live file goes last, by which the rest is recognised. */
    static void delete(Storage storage, Path directory) {
        for (LogKind kind : LogKind.values()) {
            storage.delete(ring(directory, kind));
        }
        storage.delete(live(directory));
        storage.delete(directory);
    }

    private static Path live(Path directory) {
        return directory.resolve("live");
    }

    private static Path ring(Path directory, LogKind kind) {
        return directory.resolve(kind.folder() + ".ring");
    }

    MappedFile ring(LogKind kind) {
        return rings.get(kind.index());
    }

    /** Unmaps all of it; nobody may use it any more. */
    void unmap() {
        rings.forEach(MappedFile::unmap);
        live.file().unmap();
    }
}
