package dev.loom.store;

import dev.loom.api.StagedStore;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the place of staging: the configured one; else tmpfs, with smaller rings if it has no room for the wanted
 * ones; else beside the store.
 */
final class StagingPlaces {
    private static final Path TMPFS = Path.of("/dev/shm");
    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs");
    /** An opening looks through small file systems only for stores that were moved, to stay fast. */
    private static final long SEARCHED_FILES_MAX = 2_000;

    private static final String SETTINGS =
            "set another place (stagingDirectory; for the sidecar store.staging_directory) or smaller rings (recordRingBytes,"
                    + " timeRingBytes, chunkRingBytes; for the sidecar store.record_ring_mib)";

    private final Storage storage;
    private final @Nullable Path asked;
    private final Path beside;

    /**
     * @param asked the configured place, or null
     * @param beside the place without tmpfs
     */
    StagingPlaces(Storage storage, @Nullable Path asked, Path beside) {
        this.storage = storage;
        this.asked = asked;
        this.beside = beside;
    }

    /**
     * Makes staging.
     *
     * @param rings the lengths to try, in order
     * @throws StoreIoException when there is no room anywhere, stating what is needed
     * @throws UnsupportedStoreException when files in the only possible place can't be mapped safely
     */
    Staging create(Staging.Request request, List<Rings> rings) {
        Path place = asked;
        if (place != null) {
            storage.createDirectories(place);
            Platform.checkMapped(place, storage.fileSystemType(place));
            return createWhereFits(request, place, rings);
        }
        String reason = unfit();
        if (reason == null) {
            try {
                return createWhereFits(request, TMPFS, rings);
            } catch (StoreIoException e) {
                reason = String.valueOf(e.getMessage());
            }
        }
        storage.createDirectory(beside);
        Platform.checkMapped(beside, storage.fileSystemType(beside));
        String note = reason + "; a disk that stalls can stop the writer";
        try {
            return Staging.create(storage, request, beside, rings.get(0), note);
        } catch (StoreIoException e) {
            throw new StoreIoException(e.getMessage() + "; no room elsewhere either: " + reason, e);
        }
    }

    /**
     * Throws if there is no room for the staging of the next session beside that of this one.
     *
     * @param rings the lengths of this session's rings
     */
    void checkRoomForNext(Rings rings) {
        Path place = asked != null ? asked : unfit() == null ? TMPFS : beside;
        long usable = storage.usableSpace(place);
        if (usable < Staging.length(rings)) {
            throw new StoreIoException(
                    "no room for the next session's staging while snapshots hold this one's: directory=" + place
                            + ", needed=" + Staging.length(rings) + ", free=" + usable + "; close the snapshots first");
        }
    }

    private @Nullable String unfit() {
        if (!Files.isDirectory(TMPFS) || !Files.isWritable(TMPFS)) {
            return "no tmpfs: directory=" + TMPFS;
        }
        String type = storage.fileSystemType(TMPFS);
        return MEMORY.contains(type) ? null : "no tmpfs: directory=" + TMPFS + ", type=" + type;
    }

    private Staging createWhereFits(Staging.Request request, Path place, List<Rings> rings) {
        Rings wanted = rings.get(0);
        StoreIoException failure = null;
        long usable = storage.usableSpace(place);
        for (Rings each : rings) {
            if (usable >= Staging.length(each)) {
                try {
                    return Staging.create(
                            storage,
                            request,
                            place,
                            each,
                            each.equals(wanted) ? null : note(each, wanted, place, usable));
                } catch (StoreIoException e) {
                    failure = e; // others may have taken the room meanwhile
                }
            }
        }
        Rings least = rings.get(rings.size() - 1);
        String message = "no room for staging: directory=" + place + ", needed=" + Staging.length(wanted)
                + (least.equals(wanted) ? "" : ", at least=" + Staging.length(least)) + ", free=" + usable;
        throw failure == null
                ? new StoreIoException(message + "; " + SETTINGS)
                : new StoreIoException(message + ", reason=" + failure.getMessage() + "; " + SETTINGS, failure);
    }

    private static String note(Rings taken, Rings wanted, Path place, long usable) {
        return "rings reduced for lack of room: directory=" + place + ", needed=" + Staging.length(wanted)
                + ", free="
                + usable + ", record ring=" + taken.record() + " of " + wanted.record() + ", chunk ring="
                + taken.chunk()
                + " of " + wanted.chunk();
    }

    /**
     * Deletes what killed sessions and killed openings of a store left behind; nobody else may be writing the store.
     * The staging of a copy of the store stays, because only it holds the copy's records; so does what can't be
     * deleted.
     *
     * @param killed the killed sessions
     */
    void deleteStale(Mark closed, List<Claim.Other> killed) {
        String prefix = Staging.prefix(closed.storeId());
        Set<Path> parents = new LinkedHashSet<>(List.of(TMPFS, beside));
        if (asked != null) {
            parents.add(asked);
        }
        killed.stream()
                .map(Claim.Other::place)
                .filter(place -> !place.isEmpty())
                .map(Path::of)
                .forEach(parents::add);
        Path last = closed.staging().getParent();
        if (closed.staging().isAbsolute() && last != null) {
            parents.add(last);
        }
        for (Path parent : parents) {
            try {
                for (Path each : storage.exists(parent) ? storage.list(parent) : List.<Path>of()) {
                    String name = each.getFileName().toString();
                    if (name.startsWith(prefix)) {
                        deleteIfStale(each, name.substring(prefix.length()), closed, killed);
                    }
                }
            } catch (StoreIoException e) {
                // the next opening tries again
            }
        }
    }

    private void deleteIfStale(Path directory, String nonce, Mark closed, List<Claim.Other> killed) {
        try {
            if (stale(directory, nonce, closed, killed)) {
                Staging.delete(storage, directory);
            }
        } catch (StoreIoException e) {
            // it may be another user's, and is no reason to keep the others
        }
    }

    /** Deletes this user's staging of stores that are gone, whosoever they were. */
    void deleteOrphans() {
        Path place = asked != null ? asked : unfit() == null ? TMPFS : null;
        if (place == null) {
            return;
        }
        try {
            for (StagedStore each : StagingScan.of(place, SEARCHED_FILES_MAX, files -> true)) {
                if (each.state() == StagedStore.State.ORPHANED) {
                    StagingScan.remove(each);
                }
            }
        } catch (StoreIoException e) {
            // it is no matter of this store; the next opening tries again
        }
    }

    private boolean stale(Path directory, String nonce, Mark closed, List<Claim.Other> killed) {
        return directory.startsWith(beside)
                || killed.stream()
                        .anyMatch(each -> Long.toHexString(each.nonce()).equals(nonce))
                || Staging.isOfSession(storage, directory, closed)
                || (nonce.equals(Long.toHexString(closed.sessionNonce())) && Staging.isRest(storage, directory));
    }
}
