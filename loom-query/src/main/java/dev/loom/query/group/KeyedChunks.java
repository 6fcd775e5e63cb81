package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.error.CorruptStoreException;
import dev.loom.format.PayloadFormat;
import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.plan.KeyedCondition;
import dev.loom.query.plan.KeyedSummaries;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.KeyedSummary;
import dev.loom.value.BinScale;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts chunks whose records are all of one step from what an index whose keys have the groups' fields holds of each. For one thread. */
final class KeyedChunks {
    private final PayloadFormat format;
    /** The groups', by their canonical names. */
    private final List<String> fields;

    private final KeyedSummaries keyed;
    private final ChunkSteps steps;

    /** The condition that was given last, and whether its keys have the groups' fields. */
    private @Nullable KeyedCondition asked;

    private boolean hasFields;

    /** @param fields the groups' */
    KeyedChunks(PayloadFormat format, List<String> fields, KeyedSummaries keyed, ChunkSteps steps) {
        this.format = format;
        this.fields = format.canonicalNames(fields);
        this.keyed = keyed;
        this.steps = steps;
    }

    /** The bins of the values; null if records are counted. */
    @Nullable
    BinScale scale(@Nullable IndexFunction function) {
        return function == null ? null : keyed.scale(function);
    }

    /** Answers for a chunk, or has it read. */
    private interface Answer {
        /**
         * @param counts whether its records count: all, or those of the keys that meet the condition
         * @param only the condition; null for all
         */
        ChunkUse of(ChunkCursor chunk, boolean counts, @Nullable KeyedCondition only);
    }

    private ChunkDecider decider(Answer answer) {
        return new ChunkDecider() {
            @Override
            public ChunkUse decide(ChunkCursor chunk, boolean whole) {
                return answer.of(chunk, whole, null);
            }

            @Override
            public ChunkUse decideByKeys(ChunkCursor chunk, boolean whole, KeyedCondition keys) {
                return haveFields(keys) ? answer.of(chunk, true, keys) : decide(chunk, whole);
            }

            @Override
            public boolean takesRuns() {
                return true;
            }
        };
    }

    private boolean haveFields(KeyedCondition keys) {
        if (keys != asked) {
            asked = keys;
            hasFields = format.canonicalNames(keys.fields()).containsAll(fields);
        }
        return hasFields;
    }

    /** The keys of a chunk; those that a condition can be tested on. */
    private @Nullable KeyedSummary read(ChunkCursor chunk, @Nullable KeyedCondition only) {
        return only == null ? keyed.read(chunk) : keyed.read(chunk, only.fields());
    }

    /** @param countsRecords whether records are counted, not values */
    ChunkDecider totals(GroupTable table, GroupStates states, boolean countsRecords) {
        return decider((chunk, counts, only) -> {
            int step = counts ? steps.of(chunk) : ChunkSteps.SEVERAL;
            KeyedSummary keys = step == ChunkSteps.SEVERAL ? null : read(chunk, only);
            if (keys == null || !(countsRecords || takes(states, keys))) {
                return ChunkUse.READ;
            }
            while (keys.next()) {
                if (only != null && !only.matches(keys)) {
                    continue;
                }
                int cell = table.addCell(table.addKey(keys), step);
                states.addRecords(cell, keys.records());
                if (!countsRecords) {
                    states.addValues(cell, keys.totals());
                }
            }
            return ChunkUse.FROM_BINS;
        });
    }

    private static boolean takes(GroupStates states, KeyedSummary keys) {
        boolean takes = true;
        while (takes && keys.next()) {
            takes = keys.totals().count() == 0 || states.takes(keys.totals());
        }
        keys.rewind();
        return takes;
    }

    /** @param byStep whether ranks are those of cells; otherwise those of groups */
    ChunkDecider ranks(GroupTable table, GroupRanks ranks, boolean byStep) {
        return decider((chunk, counts, only) -> {
            int step = !counts ? ChunkSteps.SEVERAL : byStep ? steps.of(chunk) : 0;
            KeyedSummary keys = step == ChunkSteps.SEVERAL ? null : read(chunk, only);
            if (keys == null || !notes(table, ranks, keys, only, byStep, step)) {
                return ChunkUse.READ;
            }
            ranks.addNoted();
            return ChunkUse.FROM_BINS;
        });
    }

    /** Notes what all bins have for the ranks; false if they are not enough, or not as many as there are values. */
    private boolean notes(
            GroupTable table,
            GroupRanks ranks,
            KeyedSummary keys,
            @Nullable KeyedCondition only,
            boolean byStep,
            int step) {
        ranks.noted().clear();
        boolean notes = true;
        try {
            while (notes && keys.next()) {
                int cell = cell(table, keys, only, byStep, step);
                BinListReader bins = ranks.wants(cell) ? keys.bins() : null;
                notes = bins == null || notes(ranks, cell, bins, keys.totals().count());
            }
        } catch (CorruptStoreException e) {
            keyed.noteDamaged();
            return false;
        }
        return notes;
    }

    private static boolean notes(GroupRanks ranks, int cell, BinListReader bins, long values) {
        WantedBins wanted = ranks.wantedBins(cell, bins.scale());
        long left = values;
        while (bins.nextCount()) {
            left -= bins.count();
            int counted = wanted.cell(bins.bin());
            boolean notes = true;
            if (counted != WantedBins.NONE) {
                notes = ranks.noted().addCount(counted, bins.count());
            } else if (wanted.contains(bins.bin())) {
                bins.read();
                notes = ranks.note(cell, bins);
            }
            if (!notes) {
                return false;
            }
        }
        return left == 0;
    }

    /** The cell of a key's records; negative if there is none, or the condition does not hold for them. */
    private static int cell(
            GroupTable table, KeyedSummary keys, @Nullable KeyedCondition only, boolean byStep, int step) {
        if (only != null && !only.matches(keys)) {
            return GroupTable.NONE;
        }
        int group = table.findKey(keys);
        return byStep && group >= 0 ? table.findCell(group, step) : group;
    }
}
