package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import dev.loom.io.LockedFile;
import dev.loom.io.ProcessId;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A session's claim: a locked file in the folder {@code owner}, named by the session's nonce, that identifies the
 * session. It exists from before the session looks at the store until the session has ended. A writer makes its claim
 * first and then looks for others, so of any two at least one sees the other, even if {@code LOCK} was deleted in
 * between. Names are never reused, so the claim of a dead owner can be deleted without a race.
 */
final class Claim implements AutoCloseable {
    private static final String ENDED = "ended";
    /** Whoever looks whether a file is locked locks it for a moment. */
    private static final int TRIES = 100;

    private static final long TRY_NS = 1_000_000;
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{1,16}");

    private final Path folder;
    private final Path path;
    private final Mark.Owner owner;
    private final String place;
    private @Nullable LockedFile file;

    private Claim(Path folder, String name, Mark.Owner owner, @Nullable Path place) {
        this.folder = folder;
        this.path = folder.resolve(name);
        this.owner = owner;
        this.place = place == null ? "" : place.toAbsolutePath().toString();
    }

    /**
     * The claim of another session.
     *
     * @param ended whether the claim says that the session has ended, or says nothing, as on a full disk
     * @param place where the session's staging was to go, or an empty text
     * @param owner its maker; nobody if the session has ended, the claim is a copy, or a power cut left it without text
     */
    record Other(Path path, Life life, boolean ended, String place, Mark.Owner owner) {
        /** Whether the claim tells nothing about its session. */
        boolean unknown() {
            return !ended && owner.equals(Mark.Owner.NONE);
        }

        /** The session's nonce, of a claim to a store. */
        long nonce() {
            return Long.parseUnsignedLong(path.getFileName().toString(), 16);
        }
    }

    /**
     * Makes a session's claim to its store. The folder must exist.
     *
     * @param place where the staging is to go, if configured
     */
    static Claim announce(Path folder, long nonce, Mark.Owner owner, @Nullable Path place) {
        return announce(folder, Long.toHexString(nonce), owner, place);
    }

    /** Makes a claim with any name in a folder. */
    static Claim announce(Path folder, String name, Mark.Owner owner, @Nullable Path place) {
        Claim claim = new Claim(folder, name, owner, place);
        claim.take();
        return claim;
    }

    private void take() {
        for (int i = 0; file == null && i < TRIES; i++) {
            if (i > 0) {
                StoreThread.pause(TRY_NS);
            }
            LockedFile taken = LockedFile.take(path);
            if (taken != null) {
                boolean kept = false;
                try {
                    kept = write(taken);
                } finally {
                    if (!kept) {
                        taken.close(); // else nobody could release it
                    }
                }
                file = kept ? taken : null;
            }
        }
    }

    /** False if an interrupt has closed the file. */
    private boolean write(LockedFile taken) {
        try {
            taken.write(text(taken.id()).getBytes(StandardCharsets.UTF_8));
        } catch (StoreIoException e) {
            // on a full disk; the lock alone is enough
        }
        return taken.isOpen();
    }

    /** Two lines, with the file's own identity, which distinguishes it from a copy. */
    private String text(FileId id) {
        ProcessId process = owner.process();
        return id.device() + " " + id.inode() + " " + process.pid() + " " + process.start() + " " + process.namespace()
                + " " + owner.bootId() + " " + owner.host() + "\n" + place;
    }

    /** The other claims in the folder. */
    List<Other> others() {
        List<Other> others = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path each : files.sorted().toList()) {
                if (!each.equals(path)
                        && NAME.matcher(each.getFileName().toString()).matches()) {
                    others.add(other(each));
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw new StoreIoException("claims can't be listed: directory=" + folder + ", reason=" + e, e);
        }
        return others;
    }

    /** The claim of a session, or null if it has none. */
    static @Nullable Other of(Path folder, long nonce) {
        return of(folder, Long.toHexString(nonce));
    }

    static @Nullable Other of(Path folder, String name) {
        Path path = folder.resolve(name);
        return Files.exists(path) ? other(path) : null;
    }

    private static Other other(Path path) {
        LockedFile.Look look = LockedFile.look(path);
        if (look == null) {
            return new Other(path, Life.DEAD, false, "", Mark.Owner.NONE);
        }
        if (look.here()) {
            return new Other(path, Life.ALIVE, false, "", new Mark.Owner(ProcessId.current(), "", ""));
        }
        String text = new String(look.contents(), StandardCharsets.UTF_8);
        String[] lines = text.split("\n", 2);
        Mark.Owner owner = parse(lines[0], FileId.find(path));
        String place = lines.length < 2 ? "" : lines[1];
        // a free lock may have been lost a moment ago, unless the process is dead, or the claim says that the
        // session has ended, which it can't when the disk or memory is full; within this process it is known
        Life life = owner.process().equals(ProcessId.current()) ? Life.DEAD : owner.life();
        return new Other(path, look.held() ? Life.ALIVE : life, text.isEmpty() || text.equals(ENDED), place, owner);
    }

    private static Mark.Owner parse(String text, FileId id) {
        String[] words = text.split(" ", 7);
        if (words.length < 7 || !id.equals(new FileId(number(words[0]), number(words[1])))) {
            return Mark.Owner.NONE;
        }
        ProcessId process = new ProcessId(number(words[2]), number(words[3]), number(words[4]));
        return new Mark.Owner(process, words[5], words[6]);
    }

    /** A decimal number, or -1. */
    private static long number(String word) {
        return word.matches("[0-9]{1,18}") ? Long.parseLong(word) : -1;
    }

    /** Whether the file is still there and locked. */
    boolean holds() {
        LockedFile current = file;
        return current != null && current.inPlace();
    }

    /**
     * Recreates the file if it was deleted, and takes its lock again.
     *
     * @return whether the file had to be recreated
     */
    boolean renew() {
        LockedFile current = file;
        try {
            if (current != null && current.inPlace()) {
                current.renew();
                return false;
            }
        } catch (StoreIoException e) {
            // such as an interrupt, which has closed the file
        }
        file = null;
        if (current != null) {
            current.close();
        }
        Storage.DISK.createDirectory(folder);
        take();
        return true;
    }

    /**
     * Marks the session as ended although its store was not closed, so that the next opening need not check for the
     * process.
     */
    void leave() {
        LockedFile current = file;
        try {
            if (current != null) {
                current.write(ENDED.getBytes(StandardCharsets.UTF_8));
            }
        } finally {
            close();
        }
    }

    /** Withdraws the claim of a session that has left nothing behind. */
    void withdraw() {
        try {
            if (holds()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new StoreIoException("claim can't be deleted: file=" + path + ", reason=" + e, e);
        } finally {
            close();
        }
    }

    /** Releases the lock; the file stays. */
    @Override
    public void close() {
        LockedFile current = file;
        file = null;
        if (current != null) {
            current.close();
        }
    }
}
