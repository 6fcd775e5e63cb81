package dev.loom.log;

import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.collections.LongHashSet;

/** The missing segment files of a log below its evicted address, as when somebody deleted them, or put directories in their place. Immutable. */
public final class MissingSegments {
    private final Segments segments;
    private final LongHashSet there = new LongHashSet();
    private final long evicted;

    /** Lists the folder. */
    public MissingSegments(LogView view) {
        this.segments = view.segments();
        this.evicted = view.watermarks().evictedAcquire(); // first: a file exists before the watermark covers it
        for (Path file : view.storage().list(segments.folder())) {
            if (!Files.isDirectory(file)) {
                there.add(Segments.firstOf(file));
            }
        }
    }

    /** Whether a page in a range of addresses was in a missing file. */
    public boolean touch(long from, long to) {
        long end = Math.min(to, evicted);
        boolean missing = false;
        for (long first = segments.first(from); first < end && !missing; first += segments.segmentLength()) {
            missing = !there.contains(first);
        }
        return missing;
    }

    /** Where the next file begins, or the range ends, after an address whose file is missing. */
    public long behind(long address, long to) {
        long end = Math.min(to, evicted);
        long next = segments.first(address);
        do {
            next += segments.segmentLength();
        } while (next < end && !there.contains(next));
        return Math.min(next, to);
    }
}
