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
    private final long rangeNs;
    private final Map<Map<String, String>, Series> sums = new LinkedHashMap<>();

    Volumes(LokiSession session, Grid grid, long rangeNs) {
        this.session = session;
        this.grid = grid;
        this.rangeNs = rangeNs;
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
                            session, LokiQueries.count(alone, rangeNs), grid, new Grouping(false, labels))
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
        for (int i = 0; i < grid.count(); i++) {
            if (counts.has(i)) {
                sum.set(i, (sum.has(i) ? sum.get(i) : 0) + Math.rint(counts.get(i) * mean));
            }
        }
    }
}
