package dev.loom.server.loki;

import dev.loom.server.loki.LogQl.Grouping;
import dev.loom.server.loki.LogQl.Match;
import dev.loom.server.loki.LogQl.Matcher;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LokiSession.Selected;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** About how many bytes the records of a selection have: their number times the mean length of their source's. For one thread. */
final class Volumes {
    private final LokiSession session;
    private final Grid grid;
    private final Map<Map<String, String>, Series> sums = new LinkedHashMap<>();

    /** @param grid the ends of the steps to count in */
    Volumes(LokiSession session, Grid grid) {
        this.session = session;
        this.grid = grid;
    }

    /**
     * Counts bytes.
     *
     * @param labels by which
     * @param byName whether series are those of single labels: one for each label, by its name alone
     */
    List<Series> run(Selection selection, List<String> labels, boolean byName) {
        for (Selected source : session.select(selection)) {
            List<Matcher> matchers = new ArrayList<>(selection.matchers());
            matchers.add(new Matcher(
                    Streams.SOURCE, Match.EQUAL, source.of().source().name(), 0));
            Selection alone = new Selection(matchers, selection.stages());
            double mean = session.meanLength(source.of().source());
            for (Series counts : new RangeQuery(
                            session, LokiQueries.count(alone, grid.stepNs()), grid, new Grouping(false, labels))
                    .run()) {
                if (byName) {
                    counts.labels().keySet().forEach(name -> add(Map.of(name, ""), counts, mean));
                } else if (!counts.labels().isEmpty()) {
                    add(new TreeMap<>(counts.labels()), counts, mean);
                }
            }
        }
        return List.copyOf(sums.values());
    }

    private void add(Map<String, String> key, Series counts, double mean) {
        Series sum = sums.get(key);
        if (sum == null) {
            session.memory().reserve(Series.size(grid.count()));
            sum = new Series(key, grid.count());
            sums.put(key, sum);
        }
        // what is rounded is the sum up to a point, so that points add up to the volume of the whole range
        double records = 0;
        double before = 0;
        for (int i = 0; i < grid.count(); i++) {
            if (counts.has(i)) {
                records += counts.get(i);
                double bytes = Math.rint(records * mean);
                sum.set(i, (sum.has(i) ? sum.get(i) : 0) + bytes - before);
                before = bytes;
            }
        }
    }
}
