package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of units of a store. A file's name has its source, the addresses of the record log between which its units lie, their
 * number, and its version, so that a search opens no file in vain, and retention none at all. A writer also counts their bytes. Usable from any
 * thread.
 */
public final class UnitFiles {
    /** The folder's name in a store. */
    public static final String FOLDER = "text";

    private static final String TEMPORARY_SUFFIX = ".tmp";
    private static final String SUFFIX = ".units" + UnitGroupDescriptor.VERSION;
    private static final Pattern NAME = Pattern.compile("(\\d{5})-(\\d{20})-(\\d{20})-(\\d{3})\\" + SUFFIX);
    /** A file of any version; the first one's has no number. */
    private static final Pattern ANY_NAME = Pattern.compile("[\\d-]+\\.units\\d*");

    private final Storage storage;
    private final Path folder;
    private final FilterCache cache;
    private final AtomicLong bytes = new AtomicLong();

    /** The files of a folder, which may be missing; read from the disk each time. */
    public UnitFiles(Storage storage, Path folder) {
        this(storage, folder, new FilterCache(0));
    }

    /** @param cache for searches */
    public UnitFiles(Storage storage, Path folder, FilterCache cache) {
        this.storage = storage;
        this.folder = folder;
        this.cache = cache;
    }

    /**
     * A file, by its name.
     *
     * @param start the first unit's start
     * @param end the last unit's end
     * @param units their number
     */
    public record UnitFile(Path path, int sourceId, long start, long end, int units) {
        static Optional<UnitFile> of(Path path) {
            Matcher name = NAME.matcher(path.getFileName().toString());
            try {
                return name.matches()
                        ? Optional.of(new UnitFile(
                                path,
                                Integer.parseInt(name.group(1)),
                                Long.parseLong(name.group(2)),
                                Long.parseLong(name.group(3)),
                                Integer.parseInt(name.group(4))))
                        : Optional.empty();
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }
    }

    /** The files of a store's folder of records. */
    public static UnitFiles beside(Storage storage, Path folderOfRecords) {
        return new UnitFiles(storage, folderOfRecords.resolveSibling(FOLDER));
    }

    Path path(int sourceId, long start, long end, int units) {
        return folder.resolve(
                String.format(Locale.ROOT, "%05d-%020d-%020d-%03d%s", sourceId, start, end, units, SUFFIX));
    }

    /** Where a session writes a file that will get the name. */
    static Path temporary(Path file) {
        return file.resolveSibling(file.getFileName() + TEMPORARY_SUFFIX);
    }

    /** All files, by source and start. */
    public List<UnitFile> all() {
        return storage.list(folder).stream()
                .map(UnitFile::of)
                .flatMap(Optional::stream)
                .toList();
    }

    /** The files of a source by start, without those that a larger one has replaced. */
    public List<UnitFile> ofSource(int sourceId) {
        List<UnitFile> files = new ArrayList<>();
        for (UnitFile file : all()) {
            if (file.sourceId() == sourceId) {
                while (!files.isEmpty()
                        && file.start() <= files.get(files.size() - 1).start()) {
                    files.remove(files.size() - 1); // names ascend by start and then by end
                }
                if (files.isEmpty() || file.end() > files.get(files.size() - 1).end()) {
                    files.add(file);
                }
            }
        }
        return files;
    }

    /** The same, or none where they can't be listed. */
    public List<UnitFile> ofSourceOrNone(int sourceId) {
        try {
            return ofSource(sourceId);
        } catch (StoreIoException e) {
            return List.of();
        }
    }

    Storage storage() {
        return storage;
    }

    public Path folder() {
        return folder;
    }

    /** What searches have read. */
    public FilterCache cache() {
        return cache;
    }

    /**
     * The bytes that all files and those that are being written may take on the disk, as far as this object knows: each {@link
     * Storage#FILE_EXCESS_LENGTH} more than its length.
     */
    public long bytes() {
        return bytes.get();
    }

    /** Counts bytes that files are about to take, or that they did not need. */
    void count(long more) {
        bytes.addAndGet(more);
    }

    /** Counts all files again, as others may have deleted some; not if one can't be looked at. While none is being written. */
    public synchronized void recount() {
        long sum = 0;
        try {
            for (UnitFile file : all()) {
                sum += taken(lengthOrFail(file.path()));
            }
        } catch (StoreIoException e) {
            return;
        }
        bytes.set(sum);
    }

    /** What a file of a length may take; nothing if it is gone, as none is empty. */
    static long taken(long length) {
        return length == 0 ? 0 : length + Storage.FILE_EXCESS_LENGTH;
    }

    /** The bytes of a file; 0 if it is gone, or can't be looked at. */
    public long length(UnitFile file) {
        try {
            return lengthOrFail(file.path());
        } catch (StoreIoException e) {
            return 0;
        }
    }

    private long lengthOrFail(Path path) {
        try (LoomFile open = storage.openToRead(path)) {
            return open.size();
        } catch (StoreIoException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return 0;
            }
            throw e;
        }
    }

    /** Deletes a file, unless it is gone. */
    synchronized void delete(UnitFile file) {
        long length = length(file);
        storage.delete(file.path());
        cache.forget(file);
        count(-taken(length));
    }

    /**
     * What units describe.
     *
     * @param rows the records
     * @param words the distinct words and values of each unit, added up
     */
    public record Contents(long rows, long words) {
        /** Of no unit. */
        public static final Contents NONE = new Contents(0, 0);

        /** Of both. */
        public Contents plus(Contents other) {
            return new Contents(rows + other.rows, words + other.words);
        }
    }

    /** What the units of a file describe; nothing if it can't be read. */
    public Contents contents(UnitFile file, long storeId) {
        try (UnitGroup group = open(file, storeId, BlockReader.newBlocks())) {
            UnitExtents extents = group.extents();
            Contents contents = Contents.NONE;
            for (int i = 0; i < extents.units(); i++) {
                contents = contents.plus(new Contents(extents.rows(i), extents.words(i)));
            }
            return contents;
        } catch (CorruptStoreException | UnsupportedStoreException | StoreIoException e) {
            return Contents.NONE;
        }
    }

    /** Opens a file past the cache; memory as for {@link UnitGroup#open}. */
    UnitGroup open(UnitFile file, long storeId, ByteBuffer memory) {
        return UnitGroup.open(storage.openToRead(file.path()), storeId, file.sourceId(), file.start(), memory);
    }

    /** What is wrong with a file, with its offset; empty if it is sound, gone, or of another version. */
    public Optional<String> damage(UnitFile file, long storeId) {
        try (UnitGroup group = open(file, storeId, BlockReader.newBlocks())) {
            group.check();
            boolean named = group.units() == file.units() && group.extents().end(group.units() - 1) == file.end();
            return named
                    ? Optional.empty()
                    : Optional.of("units are not those of the file's name: file=" + file.path());
        } catch (CorruptStoreException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (UnsupportedStoreException e) {
            return Optional.empty();
        } catch (StoreIoException e) {
            return isGone(file.path()) ? Optional.empty() : Optional.of(String.valueOf(e.getMessage()));
        }
    }

    boolean isGone(Path file) {
        try {
            return !storage.exists(file);
        } catch (StoreIoException e) {
            return false;
        }
    }

    /** Deletes files and the later ones of their sources, so that the next session builds them again. */
    public void deleteFrom(Set<Path> unsound) {
        Set<Integer> sources = new HashSet<>();
        for (UnitFile file : all()) {
            if (sources.contains(file.sourceId()) || unsound.contains(file.path())) {
                sources.add(file.sourceId());
                delete(file);
            }
        }
    }

    /**
     * Deletes files whose records retention has deleted, as far as that is possible.
     *
     * @throws StoreIoException the first failure, once all others are deleted
     */
    public void deleteBelow(long begin) {
        StoreIoException first = null;
        for (UnitFile file : all()) {
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

    /** Files that a larger one has replaced, whose deletion a crash came before. */
    private List<UnitFile> replaced() {
        List<UnitFile> replaced = new ArrayList<>(all());
        Set<Integer> sources = new HashSet<>();
        replaced.forEach(file -> sources.add(file.sourceId()));
        sources.forEach(source -> replaced.removeAll(ofSource(source)));
        return replaced;
    }

    /**
     * Counts the files' bytes. Deletes what a crash has left, files of other versions, whose units are built again, and units that do
     * not lie between two addresses: their records were lost or deleted, and others will have the later addresses. For a store that nobody
     * writes yet.
     *
     * @throws StoreIoException when units of lost records can't be deleted
     */
    public void prepare(long begin, long tail) {
        for (Path path : storage.list(folder)) {
            Optional<UnitFile> file = UnitFile.of(path);
            boolean temporary = path.getFileName().toString().endsWith(TEMPORARY_SUFFIX);
            boolean below = file.isPresent() && file.get().end() <= begin;
            boolean otherVersion = file.isEmpty()
                    && ANY_NAME.matcher(path.getFileName().toString()).matches();
            if (file.isPresent() && file.get().end() > tail) {
                storage.delete(path);
            } else if (temporary || below || otherVersion) {
                deleteIfPossible(path);
            }
        }
        replaced().forEach(file -> deleteIfPossible(file.path()));
        recount();
    }

    /** Deletes what no search takes for an answer. If that fails, it is no reason not to open a store. */
    private void deleteIfPossible(Path path) {
        try {
            storage.delete(path);
        } catch (StoreIoException e) {
            // the next opening tries again, and retention where the records are gone
        }
    }
}
