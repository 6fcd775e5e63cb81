package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.LockedFile;
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
 * @param claim tells whose it is, and that he lives; null of another's
 * @param rings by {@link LogKind#index()}
 * @param note why it is not where, or as large, as it was to be; null otherwise
 */
record Staging(
        Path directory,
        @Nullable Claim claim,
        LiveFile live,
        List<MappedFile> rings,
        @Nullable String note) {
    private static final String OWNER = "owner";

    /** What a new session is. */
    record Request(long storeId, long nonce, int epoch, Mark.Owner owner) {
        String name() {
            return prefix(storeId) + Long.toHexString(nonce);
        }
    }

    /** With what the names of a store's staging begin; the rest is the session's nonce. */
    static String prefix(long storeId) {
        return "loom-" + Long.toHexString(storeId) + "-";
    }

    /** Bytes that staging with such rings takes. */
    static long length(Rings rings) {
        return rings.length() + LiveFile.LENGTH;
    }

    /**
     * Makes staging. What can't be made whole is deleted.
     *
     * @throws StoreIoException when there is no room, or for another reason of the file system
     */
    static Staging create(Storage storage, Request request, Path parent, Rings lengths, @Nullable String note) {
        Path directory = parent.resolve(request.name());
        try {
            Files.createDirectory(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new StoreIoException("staging can't be created: directory=" + directory + ", reason=" + e, e);
        }
        Claim claim = null;
        try {
            claim = Claim.announce(directory, OWNER, request.owner(), parent);
            List<MappedFile> rings = new ArrayList<>();
            for (LogKind kind : LogKind.values()) {
                rings.add(MappedFile.create(storage, ring(directory, kind), lengths.length(kind)));
            }
            LiveFile live =
                    LiveFile.create(storage, live(directory), request.storeId(), request.nonce(), request.epoch());
            return new Staging(directory, claim, live, List.copyOf(rings), note);
        } catch (RuntimeException e) {
            if (claim != null) {
                claim.close();
            }
            delete(storage, directory);
            throw e;
        }
    }

    /** Whether a directory was staging of a session that has ended without deleting it, as far as locks tell. */
    static boolean abandoned(Path directory) {
        Path owner = directory.resolve(OWNER);
        return Files.exists(owner) && !LockedFile.isHeld(owner);
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
            return whole ? new Staging(directory, null, live, List.copyOf(rings), null) : null;
        } catch (StoreIoException e) {
            // what can't be read now may hold records, so it may not count as gone
            if (whole(storage, directory)) {
                throw e;
            }
            return null;
        }
    }

    /** Tells whoever still writes, against all signs, that the store is being taken over. */
    void fence(Storage storage) {
        MappedFile writable = MappedFile.open(storage, live(directory), true);
        LiveFile.of(writable).stateRelease(LiveFile.FENCED);
        writable.unmap();
    }

    private static boolean whole(Storage storage, Path directory) {
        boolean whole = storage.exists(live(directory));
        for (LogKind kind : LogKind.values()) {
            whole = whole && storage.exists(ring(directory, kind));
        }
        return whole;
    }

    /** Whether a directory holds the staging of a mark's session, whatever is in it. */
    static boolean isOfSession(Storage storage, Path directory, Mark mark) {
        if (!storage.exists(live(directory))) {
            return false;
        }
        LiveFile live = LiveFile.open(storage, live(directory));
        try {
            return live.isOfSession(mark);
        } finally {
            live.file().unmap();
        }
    }

    /** Whether its files are still where they were made. */
    boolean inPlace() {
        boolean inPlace = FileId.find(live(directory)).equals(live.id());
        for (LogKind kind : LogKind.values()) {
            inPlace = inPlace && Files.exists(ring(directory, kind));
        }
        return inPlace;
    }

    /** Makes all that it holds the same as in other staging with rings of the same lengths, but for the state. */
    void copyFrom(Staging other) {
        for (LogKind kind : LogKind.values()) {
            ring(kind)
                    .buffer()
                    .putBytes(0, other.ring(kind).buffer(), 0, ring(kind).length());
        }
        live.copyFrom(other.live());
    }

    /** Gives its claim back, and leaves the rest to whoever still uses it. */
    void release() {
        if (claim != null) {
            claim.close();
        }
    }

    /** Deletes it, which may be unmapped already. */
    void delete(Storage storage) {
        release();
        delete(storage, directory);
    }

    /** The live file goes last but for the owner's name, by which the rest is recognised. */
    static void delete(Storage storage, Path directory) {
        for (LogKind kind : LogKind.values()) {
            storage.delete(ring(directory, kind));
        }
        storage.delete(live(directory));
        storage.delete(directory.resolve(OWNER));
        storage.delete(directory);
    }

    /** How long its rings are. */
    Rings lengths() {
        return new Rings(
                ring(LogKind.RECORD).length(),
                ring(LogKind.TIME).length(),
                ring(LogKind.CHUNK).length());
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
