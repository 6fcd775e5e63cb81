package dev.loom.log;

import java.nio.file.Path;
import org.agrona.collections.LongHashSet;

/** Which segment files of a log are missing below what was evicted, as when somebody has deleted them. Immutable. */
public final class MissingSegments {
    private final Segments segments;
    private final LongHashSet there = new LongHashSet();
    private final long evicted;

    /** Looks at the folder. */
    public MissingSegments(LogView view) {
        this.segments = view.segments();
        this.evicted = view.watermarks().evictedAcquire(); // first, as files are there before it says so
        for (Path file : view.storage().list(segments.folder())) {
            there.add(Segments.firstOf(file));
        }
    }

    /** Whether a page of a range of addresses was in a file that is missing. */
    public boolean touch(long from, long to) {
        long end = Math.min(to, evicted);
        boolean missing = false;
        for (long first = segments.first(from); first < end && !missing; first += segments.segmentLength()) {
            missing = !there.contains(first);
        }
        return missing;
    }

    /** Where the files go on, or the range ends, behind an address whose file is missing. */
    public long behind(long address, long to) {
        long end = Math.min(to, evicted);
        long next = segments.first(address);
        do {
            next += segments.segmentLength();
        } while (next < end && !there.contains(next));
        return Math.min(next, to);
    }
}
