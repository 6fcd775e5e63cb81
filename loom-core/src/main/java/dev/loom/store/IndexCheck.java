package dev.loom.store;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;

/** Checks whether a closed store's existing indexes are readable. */
final class IndexCheck {
    private final Storage storage;
    private final StoreFiles files;
    private final Mark mark;
    private final List<Part> parts = new ArrayList<>();
    private volatile ToLongFunction<LogKind> begin = kind -> 0;

    /** A range of addresses without a gap. */
    private record Part(LogKind kind, long begin, long end) {}

    IndexCheck(Storage storage, StoreFiles files, Mark closed) {
        this.storage = storage;
        this.files = files;
        this.mark = closed;
        Rebuild rebuild = closed.rebuild();
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            long begin = closed.begin(kind);
            if (rebuild.exists()) {
                parts.add(new Part(kind, begin, rebuild.begin(kind)));
            }
            parts.add(new Part(kind, Math.max(begin, rebuild.end(kind)), closed.durable(kind)));
        }
    }

    /** Where the logs begin now, as retention deletes meanwhile. */
    void follow(ToLongFunction<LogKind> newBegin) {
        begin = newBegin;
    }

    /** The number of bytes that {@link #pagesWhole} reads. */
    long length() {
        return parts.stream()
                .mapToLong(part -> Math.max(0, part.end() - part.begin()))
                .sum();
    }

    /** Whether no segment file is missing or too short. */
    boolean filesWhole() {
        return parts.stream().allMatch(this::filesWhole);
    }

    private boolean filesWhole(Part part) {
        Segments segments = files.segments(part.kind(), mark.segmentLength());
        for (long first = segments.first(part.begin()); first < part.end(); first += mark.segmentLength()) {
            long length = Math.min(part.end() - first, mark.segmentLength());
            if (!storage.exists(segments.file(first)) || length(segments.file(first)) < length) {
                return false;
            }
        }
        return true;
    }

    private long length(Path path) {
        try (LoomFile file = storage.openToRead(path)) {
            return file.size();
        }
    }

    /**
     * Whether no page is damaged.
     *
     * @throws CancellationException when cancelled
     */
    boolean pagesWhole(BooleanSupplier cancelled) {
        StoreLogs logs = StoreLogs.files(files, storage, mark, mark.ends());
        for (Part part : parts) {
            LogView log = logs.of(part.kind());
            try (PageReader pages = new PageReader(log)) {
                for (long pageAddress = part.begin();
                        pageAddress < part.end();
                        pageAddress += PageDescriptor.PAGE_LENGTH) {
                    if (cancelled.getAsBoolean()) {
                        throw new CancellationException(
                                "check was cancelled: log=" + part.kind().folder() + ", address=" + pageAddress);
                    }
                    if (pages.readOrFail(pageAddress, part.end()) != PageState.PRESENT
                            && pageAddress >= begin.applyAsLong(part.kind())) {
                        return false;
                    }
                }
            }
        }
        return true;
    }
}
