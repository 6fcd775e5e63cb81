package dev.loom.cli.query;

import dev.loom.api.Bins;
import dev.loom.query.HistogramCounts;
import java.util.ArrayList;
import java.util.List;

/** Neighbouring bins taken together, from the first that holds something to the last, so that they are few enough. */
final class BinGroups {
    /** Bins from one up to before another. */
    record Group(int from, int to) {
        long count(HistogramCounts counts, int step) {
            long sum = 0;
            for (int bin = from; bin < to; bin++) {
                sum += counts.count(step, bin);
            }
            return sum;
        }
    }

    private BinGroups() {}

    static List<Group> of(HistogramCounts counts, int groupsMax) {
        int first = counts.bins();
        int last = -1;
        for (int step = 0; step < counts.steps(); step++) {
            for (int bin = 0; bin < counts.bins(); bin++) {
                if (counts.count(step, bin) > 0) {
                    first = Math.min(first, bin);
                    last = Math.max(last, bin);
                }
            }
        }
        List<Group> groups = new ArrayList<>();
        int each = Math.max(1, (last - first + groupsMax) / groupsMax);
        for (int bin = first; bin <= last; bin += each) {
            groups.add(new Group(bin, Math.min(bin + each, last + 1)));
        }
        return groups;
    }

    /** Bins of which each holds what a group does; of several groups. */
    static Bins bins(HistogramCounts counts, List<Group> groups) {
        return Bins.edges(groups.stream()
                .skip(1)
                .map(group -> counts.low(group.from()).toBigDecimal())
                .toList());
    }
}
