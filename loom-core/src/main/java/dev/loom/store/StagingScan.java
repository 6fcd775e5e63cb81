package dev.loom.store;

import dev.loom.api.StagedStore;
import dev.loom.api.StagedStore.State;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Judges all staging in one place. Staging is orphaned only if its session has ended, which the kernel's lock tells, and
 * either its store is there and has had another session since, or the store's mark is nowhere on the file system where
 * it was. Everything else is needed, or may be.
 */
public final class StagingScan {
    private static final Pattern NAME = Pattern.compile("loom-([0-9a-f]{1,16})-([0-9a-f]{1,16})");
    private static final String DELETED = "its store was deleted";

    private final long entriesMax;
    private final LongPredicate progress;

    /** One directory of staging, as far as it is known. */
    private record Found(
            Path staging,
            long storeId,
            long nonce,
            StagingFiles files,
            Mark.Owner owner,
            @Nullable StoreHome home) {
        StagedStore is(State state, String reason) {
            return is(state, reason, home == null ? null : home.directory());
        }

        StagedStore is(State state, String reason, @Nullable Path directory) {
            Optional<StoreInfo.Owner> process = owner.equals(Mark.Owner.NONE)
                    ? Optional.empty()
                    : Optional.of(StoreDescription.owner(owner, staging));
            return new StagedStore(
                    staging,
                    state,
                    reason,
                    storeId,
                    Optional.ofNullable(directory),
                    process,
                    files.bytes(),
                    files.created(),
                    files.own());
        }
    }

    private StagingScan(long entriesMax, LongPredicate progress) {
        this.entriesMax = entriesMax;
        this.progress = progress;
    }

    /**
     * All staging in a place.
     *
     * @param entriesMax how many files of a file system to search for stores that were moved
     * @param progress hears how many files a search has seen, and says whether to go on
     */
    public static List<StagedStore> of(Path place, long entriesMax, LongPredicate progress) {
        return new StagingScan(entriesMax, progress).run(place);
    }

    private List<StagedStore> run(Path place) {
        List<StagedStore> judged = new ArrayList<>();
        Map<Path, List<Found>> lost = new HashMap<>();
        for (Path each : Storage.DISK.list(place)) {
            Matcher name = NAME.matcher(each.getFileName().toString());
            if (name.matches() && Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
                StagedStore staged = judge(each, number(name.group(1)), number(name.group(2)), lost);
                if (staged != null) {
                    judged.add(staged);
                }
            }
        }
        lost.forEach((mountPoint, found) -> judged.addAll(search(mountPoint, found)));
        judged.sort((a, b) -> a.staging().compareTo(b.staging()));
        return judged;
    }

    private static long number(String hex) {
        return Long.parseUnsignedLong(hex, 16);
    }

    /** Null if its store has to be searched for, or if it was deleted meanwhile. */
    private static @Nullable StagedStore judge(Path staging, long storeId, long nonce, Map<Path, List<Found>> lost) {
        StagingFiles files = StagingFiles.of(staging);
        if (files == null) {
            return null;
        }
        Found found = new Found(staging, storeId, nonce, files, Mark.Owner.NONE, null);
        try {
            // the lock first: once it is free, the session writes no mark any more
            Claim.Other claim = Staging.claim(staging);
            StoreHome home = Staging.read(staging);
            found = new Found(staging, storeId, nonce, files, claim == null ? Mark.Owner.NONE : claim.owner(), home);
            if (claim != null && claim.life() == Life.ALIVE) {
                return found.is(State.LIVE, "");
            } else if (home == null || claim == null || claim.unknown()) {
                return found.is(State.UNKNOWN, "it does not tell its store");
            } else if (!claim.owner().bootId().equals(Platform.bootId())) {
                return found.is(
                        State.UNKNOWN, "its writer ran in another boot, or in a container with its own boot id");
            }
            return judge(found, home, lost);
        } catch (StoreIoException e) {
            return found.is(State.UNKNOWN, files.own() ? "it can't be read" : "it belongs to another user");
        }
    }

    private static @Nullable StagedStore judge(Found found, StoreHome home, Map<Path, List<Found>> lost) {
        Path file = new StoreFiles(home.directory()).mark();
        FileId id;
        try {
            id = FileId.find(file);
        } catch (StoreIoException e) {
            return found.is(State.MISSING, "its store's directory can't be read");
        }
        StagedStore there = id.equals(FileId.NONE) ? null : judge(found, file, id.equals(home.mark()));
        if (there != null) {
            return there;
        }
        String unseen = home.unseen();
        if (unseen != null) {
            return found.is(State.MISSING, "its store is not there: " + unseen);
        }
        lost.computeIfAbsent(Objects.requireNonNull(home.mount()).point(), point -> new ArrayList<>())
                .add(found);
        return null;
    }

    /**
     * Judges by a mark.
     *
     * @param same whether it is the file that the session wrote
     * @return null if it says nothing about the session
     */
    private static @Nullable StagedStore judge(Found found, Path file, boolean same) {
        Path directory = file.getParent();
        Mark mark;
        try {
            mark = new MarkFile(Storage.DISK, file).read();
        } catch (LoomException e) {
            return same ? found.is(State.UNKNOWN, "its store's mark can't be read", directory) : null;
        }
        boolean store = mark.storeId() == found.storeId();
        if (store && mark.sessionNonce() == found.nonce() && !mark.closed()) {
            return found.is(State.DEAD, "the next opening recovers its newest records", directory);
        } else if (!same) {
            return null;
        }
        return store
                ? found.is(State.ORPHANED, "its store has had another session, or was closed", directory)
                : found.is(State.ORPHANED, DELETED);
    }

    private List<StagedStore> search(Path mountPoint, List<Found> lost) {
        Set<FileId> marks = new HashSet<>();
        lost.forEach(found -> marks.add(mark(found)));
        long device = mark(lost.get(0)).device();
        FileSearch.Result result = FileSearch.run(mountPoint, device, marks, entriesMax, progress);
        return lost.stream().map(found -> judge(found, result)).toList();
    }

    private static FileId mark(Found found) {
        return Objects.requireNonNull(found.home()).mark();
    }

    private static StagedStore judge(Found found, FileSearch.Result result) {
        Path moved = result.found().get(mark(found));
        if (moved != null) {
            return isForeign(moved)
                    ? found.is(State.ORPHANED, DELETED)
                    : Objects.requireNonNull(judge(found, moved, true));
        }
        String gap = result.gap();
        return gap == null
                ? found.is(State.ORPHANED, DELETED)
                : found.is(State.MISSING, "its store was deleted or moved: " + gap);
    }

    /** Whether a file that has the identity of a mark got it from the file system, which gives those of deleted files to new ones. */
    private static boolean isForeign(Path found) {
        try {
            return new MarkFile(Storage.DISK, found).isForeign();
        } catch (StoreIoException e) {
            return false; // it may be the mark
        }
    }

    /**
     * Deletes staging that is not needed.
     *
     * @return whether it was still there and unused
     */
    public static boolean remove(StagedStore staged) {
        if (staged.state() != State.ORPHANED && staged.state() != State.MISSING) {
            throw new IllegalArgumentException(
                    "staging is not left over: directory=" + staged.staging() + ", state=" + staged.state());
        }
        Claim.Other claim = Staging.claim(staged.staging());
        boolean unused = staged.own() && (claim == null || claim.life() != Life.ALIVE);
        boolean there = unused && Storage.DISK.exists(staged.staging());
        if (there) {
            Staging.delete(Storage.DISK, staged.staging());
        }
        return there;
    }
}
