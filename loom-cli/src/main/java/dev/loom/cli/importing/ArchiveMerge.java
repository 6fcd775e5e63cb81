package dev.loom.cli.importing;

import dev.loom.cli.archive.ArchiveReader;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/** The records of several archives in the order of their arrival times; of equal times, those of the first archive first. */
final class ArchiveMerge {
    private record Place(int archive, ArchiveReader reader) {}

    private static final Comparator<Place> BY_TIME =
            Comparator.<Place>comparingLong(place -> place.reader().timeNs()).thenComparingInt(Place::archive);

    private final PriorityQueue<Place> waiting = new PriorityQueue<>(BY_TIME);
    private @Nullable Place current;

    /** Moves each archive to its first record. */
    ArchiveMerge(List<ArchiveReader> archives) throws IOException {
        for (int i = 0; i < archives.size(); i++) {
            if (archives.get(i).next()) {
                waiting.add(new Place(i, archives.get(i)));
            }
        }
    }

    /** The time of the next record before the first move; or a default if there is none. */
    long firstTimeNs(long defaultNs) {
        Place first = waiting.peek();
        return first == null ? defaultNs : first.reader().timeNs();
    }

    /** Moves to the next record; null if there is none, or if interrupted. */
    @Nullable
    ArchiveReader next() throws IOException {
        Place last = current;
        if (last != null && last.reader().next()) {
            Place next = waiting.peek();
            if (next == null || BY_TIME.compare(last, next) < 0) {
                return last.reader();
            }
            waiting.add(last);
        }
        current = waiting.poll();
        return current == null ? null : current.reader();
    }

    /** The number of the archive of the current record. */
    int archive() {
        Place place = current;
        return place == null ? -1 : place.archive();
    }
}
