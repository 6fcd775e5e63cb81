package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.Segments;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes by which the segment files of the record log are shorter than their segments, because they are compressed. The
 * most that a copy which is being made may take counts as the opposite. For any thread.
 */
final class Savings {
    private final Storage storage;
    private final Segments segments;
    private final AtomicLong bytes = new AtomicLong();

    private Savings(Storage storage, Segments segments) {
        this.storage = storage;
        this.segments = segments;
    }

    /** Looks at the files. For a store that nobody writes yet. */
    static Savings of(StoreFiles files, Storage storage, Mark mark) {
        Savings savings = new Savings(storage, files.segments(LogKind.RECORD, mark.segmentLength()));
        if (mark.compressed()) {
            savings.add(savings.below(mark.durable(LogKind.RECORD)));
        }
        return savings;
    }

    /** What the files save at this moment. Any thread. */
    static long now(Mark mark, LogView records) {
        if (!mark.compressed()) {
            return 0;
        }
        try {
            return new Savings(records.storage(), records.segments())
                    .below(records.watermarks().evictedAcquire());
        } catch (StoreIoException e) {
            return 0; // a store on a failing disk can be described
        }
    }

    /** What the files of the segments save that end at an address or before. */
    private long below(long end) {
        long saved = 0;
        for (Path file : storage.list(segments.folder())) {
            long first = Segments.firstOf(file);
            if (first >= 0 && first <= end - segments.segmentLength()) {
                saved += of(file);
            }
        }
        return saved;
    }

    /** What the file of a whole segment saves; 0 if that can't be found out, until the next opening. */
    long of(Path file) {
        try (LoomFile open = storage.openToRead(file)) {
            return Math.max(0, segments.segmentLength() - open.size());
        } catch (StoreIoException e) {
            return 0;
        }
    }

    void add(long more) {
        bytes.addAndGet(more);
    }

    long bytes() {
        return bytes.get();
    }
}
