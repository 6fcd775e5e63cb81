package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.FileId;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks for files by their identity on the whole of one file system, as only that proves that a file was deleted rather
 * than moved.
 */
final class FileSearch implements FileVisitor<Path> {
    private final Set<FileId> wanted;
    private final long device;
    private final long entriesMax;
    private final LongPredicate progress;
    private final Map<FileId, Path> found = new HashMap<>();
    private long entries;
    private @Nullable String gap;

    private FileSearch(Set<FileId> wanted, long device, long entriesMax, LongPredicate progress) {
        this.wanted = wanted;
        this.device = device;
        this.entriesMax = entriesMax;
        this.progress = progress;
    }

    /**
     * What was found.
     *
     * @param gap why a file that was not found may still exist; null if it can't
     */
    record Result(Map<FileId, Path> found, @Nullable String gap) {}

    /**
     * Searches a file system.
     *
     * @param root where it is mounted
     * @param entriesMax after how many files and directories to stop
     * @param progress hears how many there were before each, and says whether to go on
     */
    static Result run(Path root, long device, Set<FileId> wanted, long entriesMax, LongPredicate progress) {
        FileSearch search = new FileSearch(wanted, device, entriesMax, progress);
        try {
            Files.walkFileTree(root, search);
        } catch (IOException e) {
            search.gap = "directory can't be read: " + root;
        }
        return new Result(search.found, search.gap);
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
        if (id(directory).device() != device) {
            return FileVisitResult.SKIP_SUBTREE; // another file system
        }
        return counted();
    }

    private FileVisitResult counted() {
        if (!progress.test(entries)) {
            gap = "the search of its file system was ended";
            return FileVisitResult.TERMINATE;
        } else if (++entries > entriesMax) {
            gap = "its file system has more than " + entriesMax + " files";
            return FileVisitResult.TERMINATE;
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        if (attributes.isRegularFile()) {
            FileId id = id(file);
            if (wanted.contains(id)) {
                found.put(id, file);
            }
        }
        return counted();
    }

    private FileId id(Path file) {
        try {
            return FileId.find(file);
        } catch (StoreIoException e) {
            gap = "file can't be read: " + file;
            return FileId.NONE;
        }
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException reason) {
        gap = "directory can't be read: " + file;
        return counted();
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException reason) {
        if (reason != null) {
            gap = "directory can't be read: " + directory;
        }
        return FileVisitResult.CONTINUE;
    }
}
