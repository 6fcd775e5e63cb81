package dev.loom.filter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the frequent words of a source (ESTELLE, 2.3.2): those that more than a share of its rows have, on the average of some periods.
 * It looks at some rows of each period, and counts their words in constant memory: when that is full, all counts fall by one, and the
 * words that reach 0 go (Misra and Gries), so that no count is too low by more than the rows over the room. For one thread.
 */
final class WordCollector {
    /** A word in a smaller share of rows is not frequent. */
    private static final double SHARE_MIN = 0.002;

    /** The periods over which shares are averaged. */
    private static final int PERIODS = 4;

    /** The similarity (equation 1) below which a new table replaces the old one. */
    private static final double SIMILARITY_MIN = 0.9;

    /** A word that only one row has may be an id, however few rows were looked at. */
    private static final int COUNT_MIN = 2;

    private static final int SLOTS = 1 << 14;
    private static final int WORDS_MAX = SLOTS / 4 * 3;

    private final long[] digests = new long[SLOTS];
    private final int[] counts = new int[SLOTS];
    /** The row that each word was counted in last. */
    private final int[] countedTo = new int[SLOTS];

    private final List<Map<Long, Double>> periods = new ArrayList<>();
    private int words;
    private int rows;
    private FrequentWords table;

    /** @param table that the source had last */
    WordCollector(FrequentWords table) {
        this.table = table;
    }

    /** The bytes that a collector takes at most. */
    static long length() {
        return SLOTS * (Long.BYTES + 2L * Integer.BYTES) + PERIODS * FrequentWords.COUNT_MAX * 100L;
    }

    /** The table of now. */
    FrequentWords table() {
        return table;
    }

    /** Begins another row. */
    void nextRow() {
        rows++;
    }

    /** Counts a word of the row. */
    void add(long digest) {
        int slot = (int) digest & SLOTS - 1;
        while (counts[slot] != 0 && digests[slot] != digest) {
            slot = slot + 1 & SLOTS - 1;
        }
        if (counts[slot] == 0) {
            if (words == WORDS_MAX) {
                lower();
                add(digest);
                return;
            }
            words++;
            digests[slot] = digest;
            counts[slot] = 1;
            countedTo[slot] = rows;
        } else if (countedTo[slot] != rows) {
            counts[slot]++;
            countedTo[slot] = rows;
        }
    }

    /** Lowers all counts by one, until there is room. */
    private void lower() {
        long[] keptDigests = digests.clone();
        int[] keptCounts = counts.clone();
        int[] keptRows = countedTo.clone();
        int least = Integer.MAX_VALUE;
        for (int count : keptCounts) {
            least = count > 0 ? Math.min(least, count) : least;
        }
        Arrays.fill(counts, 0);
        words = 0;
        for (int i = 0; i < SLOTS; i++) {
            if (keptCounts[i] > least) {
                int slot = (int) keptDigests[i] & SLOTS - 1;
                while (counts[slot] != 0) {
                    slot = slot + 1 & SLOTS - 1;
                }
                digests[slot] = keptDigests[i];
                counts[slot] = keptCounts[i] - least;
                countedTo[slot] = keptRows[i];
                words++;
            }
        }
    }

    /** Ends a period, and makes a new table if the words have changed enough. A period without rows is none. */
    void endPeriod() {
        if (rows == 0) {
            return;
        }
        Map<Long, Double> shares = new HashMap<>();
        for (int i = 0; i < SLOTS; i++) {
            double share = (double) counts[i] / rows;
            if (counts[i] >= COUNT_MIN && share >= SHARE_MIN) {
                shares.put(digests[i], share);
            }
        }
        periods.add(shares);
        if (periods.size() > PERIODS) {
            periods.remove(0);
        }
        Arrays.fill(counts, 0);
        words = 0;
        rows = 0;
        renew();
    }

    private void renew() {
        Map<Long, Double> sums = new HashMap<>();
        for (Map<Long, Double> period : periods) {
            period.forEach((digest, share) -> sums.merge(digest, share, Double::sum));
        }
        List<Map.Entry<Long, Double>> frequent = new ArrayList<>(sums.entrySet().stream()
                .filter(word -> word.getKey() != 0 && word.getValue() / periods.size() >= SHARE_MIN)
                .toList());
        frequent.sort(Map.Entry.<Long, Double>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()));
        if (frequent.size() > FrequentWords.COUNT_MAX) {
            frequent = frequent.subList(0, FrequentWords.COUNT_MAX);
        }
        double all = 0;
        double known = 0;
        for (Map.Entry<Long, Double> word : frequent) {
            all += word.getValue();
            known += table.contains(word.getKey()) ? word.getValue() : 0;
        }
        if (all > 0 && known / all < SIMILARITY_MIN) {
            table = new FrequentWords(
                    frequent.stream().mapToLong(Map.Entry::getKey).sorted().toArray());
        }
    }
}
