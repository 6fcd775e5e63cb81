package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.LockedFile;
import dev.loom.io.LoomFile;
import dev.loom.io.MappedFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session's staging: the mapped rings and the live state, in its own directory.
 *
 * @param claim identifies the owner and shows that it is alive; null for another session's staging
 * @param rings by {@link LogKind#index()}
 * @param note why it is not at the configured place or size; else null
 */
record Staging(
        Path directory,
        @Nullable Claim claim,
        LiveFile live,
        List<MappedFile> rings,
        @Nullable String note) {
    private static final String OWNER = "owner";
    private static final int HOME_BYTES_MAX = 1 << 16;

    /**
     * The identity of a new session.
     *
     * @param home where its store lies
     */
    record Request(long storeId, long nonce, int epoch, Mark.Owner owner, StoreHome home) {
        String name() {
            return prefix(storeId) + Long.toHexString(nonce);
        }
    }

    /** The prefix of the names of a store's staging directories; the session's nonce follows. */
    static String prefix(long storeId) {
        return "loom-" + Long.toHexString(storeId) + "-";
    }

    /** The bytes that staging with these rings takes. */
    static long length(Rings rings) {
        return rings.length() + LiveFile.LENGTH;
    }

    /**
     * Makes staging; deletes it if it can't be completed.
     *
     * @throws StoreIoException when there is no room, or the file system fails otherwise
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
        List<MappedFile> mapped = new ArrayList<>();
        try {
            claim = Claim.announce(directory, OWNER, request.owner(), parent);
            // only now, as staging without it counts as in use
            try (LoomFile home = storage.openToWrite(home(directory), false)) {
                home.write(ByteBuffer.wrap(request.home().text().getBytes(StandardCharsets.UTF_8)), 0);
            }
            for (LogKind kind : LogKind.values()) {
                mapped.add(MappedFile.create(storage, ring(directory, kind), lengths.length(kind)));
            }
            List<MappedFile> rings = List.copyOf(mapped);
            LiveFile live =
                    LiveFile.create(storage, live(directory), request.storeId(), request.nonce(), request.epoch());
            return new Staging(directory, claim, live, rings, note);
        } catch (RuntimeException | Error e) {
            // while they are mapped their files keep the room that smaller ones could have
            mapped.forEach(MappedFile::unmap);
            if (claim != null) {
                claim.close();
            }
            delete(storage, directory);
            throw e;
        }
    }

    /** The claim of staging's session; null if it has none. */
    static Claim.@Nullable Other claim(Path directory) {
        // nothing that others may have put there instead is opened
        return Files.isRegularFile(directory.resolve(OWNER), LinkOption.NOFOLLOW_LINKS)
                ? Claim.of(directory, OWNER)
                : null;
    }

    /** Where the store of staging lies; null if it does not tell. */
    static @Nullable StoreHome read(Path directory) {
        Path file = home(directory);
        try {
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) > HOME_BYTES_MAX) {
                return null;
            }
            return StoreHome.parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new StoreIoException("staging can't be read: file=" + file + ", reason=" + e, e);
        }
    }

    /** Whether a directory is the staging of a session that ended without deleting it, as far as locks tell. */
    static boolean abandoned(Path directory) {
        Path owner = directory.resolve(OWNER);
        return Files.exists(owner) && !LockedFile.isHeld(owner);
    }

    /**
     * Maps a mark's staging; null if it is gone, of another boot, or not the mark's own.
     *
     * @throws StoreIoException when it exists but can't be read
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
            Staging found = new Staging(directory, null, live, List.copyOf(rings), null);
            // the rings are those of the live file, unless others came into their place meanwhile
            return whole && found.inPlace() ? found : null;
        } catch (StoreIoException e) {
            // unreadable staging may hold records, so it must not count as gone
            if (whole(storage, directory)) {
                throw e;
            }
            return null;
        }
    }

    /** Tells a writer that is still alive, against all signs, that the store is being taken over. */
    void fence(Storage storage) {
        MappedFile writable = MappedFile.open(storage, live(directory), true);
        LiveFile.of(writable).stateRelease(LiveFile.FENCED);
        writable.unmap();
    }

    /** Tells readers, and a later recovery, where the logs begin. For the one who has fenced its writer. */
    void beginAt(Storage storage, long[] begins) {
        MappedFile writable = MappedFile.open(storage, live(directory), true);
        for (LogKind kind : LogKind.values()) {
            LiveFile.of(writable).watermarks(kind).beginRelease(begins[kind.index()]);
        }
        writable.unmap();
    }

    private static boolean whole(Storage storage, Path directory) {
        boolean whole = storage.exists(live(directory));
        for (LogKind kind : LogKind.values()) {
            whole = whole && storage.exists(ring(directory, kind));
        }
        return whole;
    }

    /** Whether a directory holds the staging of a mark's session, whatever its contents. */
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

    /** Whether a directory is what is left of staging whose deletion failed: it no longer holds any records. */
    static boolean isRest(Storage storage, Path directory) {
        return !storage.exists(live(directory));
    }

    /** Whether the files are still in place. */
    boolean inPlace() {
        boolean inPlace = FileId.find(live(directory)).equals(live.id());
        for (LogKind kind : LogKind.values()) {
            inPlace = inPlace && Files.exists(ring(directory, kind));
        }
        return inPlace;
    }

    /** Copies everything except the state from other staging with rings of the same lengths. While the evictor does nothing else. */
    void copyFrom(Staging other) {
        for (LogKind kind : LogKind.values()) {
            // a reader of an earlier copy must not take a page for another that has its place now
            live.watermarks(kind).announce(other.live().watermarks(kind).evictedAcquire());
        }
        for (LogKind kind : LogKind.values()) {
            ring(kind)
                    .buffer()
                    .putBytes(0, other.ring(kind).buffer(), 0, ring(kind).length());
        }
        VarHandle.storeStoreFence();
        live.copyFrom(other.live());
    }

    /** Releases the claim, and leaves the rest to its remaining users. */
    void release() {
        if (claim != null) {
            claim.close();
        }
    }

    /** Deletes the staging, unmapped or not. */
    void delete(Storage storage) {
        release();
        delete(storage, directory);
    }

    /** The live file is deleted after the rings, since it identifies them, and before what identifies the session. */
    static void delete(Storage storage, Path directory) {
        for (LogKind kind : LogKind.values()) {
            storage.delete(ring(directory, kind));
        }
        storage.delete(live(directory));
        storage.delete(directory.resolve(OWNER));
        storage.delete(home(directory));
        storage.delete(directory);
    }

    /** The lengths of the rings. */
    Rings lengths() {
        return new Rings(
                ring(LogKind.RECORD).length(),
                ring(LogKind.TIME).length(),
                ring(LogKind.CHUNK).length());
    }

    private static Path home(Path directory) {
        return directory.resolve("home");
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

    /** Unmaps everything; nobody may use it afterwards. */
    void unmap() {
        rings.forEach(MappedFile::unmap);
        live.file().unmap();
    }
}
