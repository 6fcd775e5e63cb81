package dev.loom.store;

import dev.loom.compress.CompressionLibrary;
import dev.loom.filter.FilterCache;
import dev.loom.filter.UnitFiles;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.rollup.RunFiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;

/** The paths of a store's files. */
record StoreFiles(Path directory) {
    private static final Set<String> NAMES = Set.of(
            "LOCK",
            "loom.mark",
            "schema.log",
            "staging",
            "owner",
            "open.page",
            SetAside.FOLDER,
            UnitFiles.FOLDER,
            RunFiles.FOLDER);

    Path lock() {
        return directory.resolve("LOCK");
    }

    /** The folder of claims of current and prospective writers. */
    Path claims() {
        return directory.resolve("owner");
    }

    Path mark() {
        return directory.resolve("loom.mark");
    }

    Path schema() {
        return directory.resolve("schema.log");
    }

    Path openPage() {
        return directory.resolve("open.page");
    }

    /** The files of the text index, read from the disk each time. */
    UnitFiles text(Storage storage) {
        return text(storage, 0);
    }

    /** The files of the text index, for a store's searches. */
    UnitFiles text(Storage storage, long cacheBytes) {
        return new UnitFiles(storage, directory.resolve(UnitFiles.FOLDER), new FilterCache(cacheBytes));
    }

    /** The files of runs. */
    RunFiles runs(Storage storage) {
        return new RunFiles(storage, directory.resolve(RunFiles.FOLDER));
    }

    /** The place of staging without tmpfs. */
    Path staging() {
        return directory.resolve("staging");
    }

    Path folder(LogKind kind) {
        return directory.resolve(kind.folder());
    }

    Segments segments(LogKind kind, long segmentLength) {
        return new Segments(folder(kind), segmentLength, kind == LogKind.RECORD ? CompressionLibrary::decoder : null);
    }

    /** Whether any log has segment files. */
    boolean hasSegments(Storage storage) {
        return Arrays.stream(LogKind.values())
                .anyMatch(kind -> !storage.list(folder(kind)).isEmpty());
    }

    /** Whether a file in the directory has a name that a store uses. */
    static boolean isOurs(Path file) {
        String name = file.getFileName().toString();
        return NAMES.contains(name)
                || Arrays.stream(LogKind.values())
                        .anyMatch(kind -> kind.folder().equals(name));
    }
}
