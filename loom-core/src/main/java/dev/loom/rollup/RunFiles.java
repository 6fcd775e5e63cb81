package dev.loom.rollup;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of runs of a store. A file's name has its level and the address where its runs begin. They can be built again, so whatever
 * is in doubt is deleted. A writer also counts their bytes. Usable from any thread.
 */
public final class RunFiles {
    /** The folder's name in a store. */
    public static final String FOLDER = "rollup";

    private static final int ADDRESS_DIGITS = 20;
    private static final Pattern NAME = Pattern.compile("([1-9])-(\\d{20})\\.runs");

    private final Storage storage;
    private final Path folder;
    private final AtomicLong bytes = new AtomicLong();

    /** @param folder where they are; it may be missing */
    public RunFiles(Storage storage, Path folder) {
        this.storage = storage;
        this.folder = folder;
    }

    /** The files of a store's folder of records. */
    public static RunFiles beside(Storage storage, Path folderOfRecords) {
        return new RunFiles(storage, folderOfRecords.resolveSibling(FOLDER));
    }

    /**
     * A file, by its name.
     *
     * @param begin the address from which on the chunks of its runs begin
     */
    public record RunFile(Path path, int level, long begin) {
        static Optional<RunFile> of(Path path) {
            Matcher name = NAME.matcher(path.getFileName().toString());
            try {
                return name.matches()
                        ? Optional.of(new RunFile(path, Integer.parseInt(name.group(1)), Long.parseLong(name.group(2))))
                        : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        /** The address from which on the chunks of the next file's runs begin. */
        public long end() {
            return begin + RunShape.begin(level + 1, 1);
        }

        /** The number of its first run. */
        public long first() {
            return RunShape.number(level, begin);
        }
    }

    Storage storage() {
        return storage;
    }

    public Path folder() {
        return folder;
    }

    /** The file of a run. */
    Path path(int level, long number) {
        long begin = RunShape.begin(level + 1, RunShape.file(number));
        String address = Long.toString(begin);
        return folder.resolve(level + "-" + "0".repeat(ADDRESS_DIGITS - address.length()) + address + ".runs");
    }

    /** All files, by level and address. */
    public List<RunFile> all() {
        return storage.list(folder).stream()
                .map(RunFile::of)
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * The bytes that all files may take on the disk, as far as this object knows: each {@link Storage#FILE_EXCESS_LENGTH} more than its
     * length.
     */
    public long bytes() {
        return bytes.get();
    }

    /** Counts bytes that files are about to take. */
    void count(long more) {
        bytes.addAndGet(more);
    }

    /** The bytes that a file of a length may take on the disk. */
    static long taken(long length) {
        return length + Storage.FILE_EXCESS_LENGTH;
    }

    /** The bytes of a file; 0 if it is gone. */
    public long length(RunFile file) {
        try (LoomFile open = storage.openToRead(file.path())) {
            return open.size();
        } catch (StoreIoException e) {
            return 0;
        }
    }

    /** Whether a file is long enough for a header; a shorter one is being begun, or a crash has left it. */
    public boolean isBegun(RunFile file) {
        return length(file) >= RunFileDescriptor.headLength();
    }

    private synchronized void delete(RunFile file) {
        long length = length(file);
        storage.delete(file.path());
        count(-taken(length));
    }

    /**
     * Deletes files whose records retention has deleted, as far as that is possible.
     *
     * @throws StoreIoException the first failure, once all others are deleted
     */
    public void deleteBelow(long begin) {
        StoreIoException first = null;
        for (RunFile file : all()) {
            if (file.end() <= begin) {
                try {
                    delete(file);
                } catch (StoreIoException e) {
                    first = first == null ? e : first;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** Deletes all files, to be built again, and makes that durable. */
    public void deleteAll() {
        deleteAll(0);
    }

    /**
     * As {@link #deleteAll()}; files of records before an address, which nobody asks for, may stay where they can't be deleted.
     *
     * @param begin the address
     */
    public void deleteAll(long begin) {
        List<RunFile> files = all();
        for (RunFile file : files) {
            try {
                delete(file);
            } catch (StoreIoException e) {
                if (file.end() > begin) {
                    throw e;
                }
            }
        }
        if (!files.isEmpty()) {
            storage.syncDirectory(folder);
        }
    }

    /** Makes files durable that were written to. */
    void sync(Set<Path> files) {
        for (Path file : files) {
            if (storage.exists(file)) {
                try (LoomFile open = storage.openToWrite(file, false)) {
                    open.force();
                }
            }
        }
        if (!files.isEmpty()) {
            storage.syncDirectory(folder);
            storage.syncDirectory(Objects.requireNonNull(folder.getParent()));
        }
    }

    /**
     * Counts the files' bytes. Deletes files that do not lie between two addresses: their records were deleted, or are gone and others
     * will have their addresses. For a store that nobody writes yet.
     *
     * @throws StoreIoException when runs of lost records can't be deleted
     */
    public void prepare(long begin, long durable) {
        for (RunFile file : all()) {
            if (file.end() > durable) {
                storage.delete(file.path());
            } else if (file.level() > RunShape.LEVELS || file.end() <= begin) {
                deleteIfPossible(file.path());
            }
        }
        bytes.set(all().stream().mapToLong(file -> taken(length(file))).sum());
    }

    /** Deletes what no query reads. If that fails, it is no reason not to open a store. */
    private void deleteIfPossible(Path path) {
        try {
            storage.delete(path);
        } catch (StoreIoException e) {
            // the next opening tries again, and retention where the records are gone
        }
    }
}
