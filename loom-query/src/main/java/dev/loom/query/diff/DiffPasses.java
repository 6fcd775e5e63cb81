package dev.loom.query.diff;

import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.Order;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.query.walk.PassGuard;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.value.RecordBatch;
import java.util.List;

/** Passes over the records of both sets. For one thread. */
public final class DiffPasses {
    static final int SELECTED = 0;
    static final int AGAINST = 1;
    private static final int NEITHER = -1;

    /** Reads every part, but knows which parts lie in the range as a whole: their records come in batches. */
    private static final ChunkDecider READ_IN_BATCHES = (chunk, whole) -> ChunkUse.READ;

    private static final long SEED = 0x5EED_10F7_0D1FL;

    private final QueryScope scope;
    private final DiffTerms.Sets sets;
    private final PassGuard guard;
    private final RecordBatch batch = new RecordBatch();
    private final long[] records = new long[2];
    private final Reservoir[] samples = new Reservoir[2];
    private long recordsRead;

    public DiffPasses(QueryScope scope, DiffTerms.Sets sets) {
        this.scope = scope;
        this.sets = sets;
        guard = new PassGuard(scope);
    }

    /** Makes the next pass the first one. */
    public void restart() {
        guard.restart();
    }

    /** The number of records read and examined. */
    public long recordsRead() {
        return recordsRead;
    }

    /** The number of chosen records, and of the others, as the last pass found them. */
    long[] records() {
        return records.clone();
    }

    /** The number of records in each sample. */
    int[] sampled() {
        return new int[] {samples[SELECTED].filled(), samples[AGAINST].filled()};
    }

    /** Takes a record of one of the sets. */
    private interface Taking {
        void take(int set, int record);
    }

    /** Finds fields, their frequent values and samples. False if the query ended early. */
    boolean find(FieldRegister fields) {
        samples[SELECTED] = new Reservoir(DiffField.SAMPLE, SEED);
        samples[AGAINST] = new Reservoir(DiffField.SAMPLE, SEED + 1);
        return pass((set, record) -> {
            int place = samples[set].place();
            if (set == AGAINST && place == Reservoir.NONE) {
                return;
            }
            int offset = batch.offset(record);
            int length = batch.length(record);
            fields.discover(batch.buffer(), offset, length);
            List<DiffField> all = fields.fields();
            for (int i = 0; i < all.size(); i++) {
                DiffField field = all.get(i);
                field.read(batch.buffer(), offset, length);
                if (set == SELECTED) {
                    field.count();
                }
                if (place != Reservoir.NONE) {
                    field.sample(set, place);
                }
            }
            if (set == SELECTED) {
                fields.countSelected();
            }
        });
    }

    /** Counts what each field has. False if the query ended early. */
    boolean count(List<FieldCounts> fields) {
        return pass((set, record) -> {
            for (int i = 0; i < fields.size(); i++) {
                FieldCounts counts = fields.get(i);
                counts.field().read(batch.buffer(), batch.offset(record), batch.length(record));
                counts.add(set);
            }
        });
    }

    /** Counts what parts have in common. False if the query ended early. */
    boolean combine(PartCombinations parts) {
        boolean whole =
                pass((set, record) -> parts.add(set, batch.buffer(), batch.offset(record), batch.length(record)));
        parts.end();
        return whole;
    }

    private boolean pass(Taking taking) {
        guard.begin();
        records[SELECTED] = 0;
        records[AGAINST] = 0;
        SourceWalk walk = scope.walk(Order.OLDEST_FIRST, READ_IN_BATCHES);
        while (walk.next(batch)) {
            recordsRead += batch.count();
            walk.calculated(batch.count() * sets.operands());
            for (int i = 0; i < batch.count(); i++) {
                scope.lookup().from(batch.address(i));
                int set = set(i);
                if (set != NEITHER) {
                    records[set]++;
                    taking.take(set, i);
                }
            }
        }
        guard.end();
        return walk.limit() == Limit.NONE;
    }

    private int set(int record) {
        RecordTest others = sets.against();
        if (isIn(sets.selected(), record)) {
            return SELECTED;
        }
        return others == null || isIn(others, record) ? AGAINST : NEITHER;
    }

    private boolean isIn(RecordTest set, int record) {
        return set.test(batch.timeNs(record), batch.buffer(), batch.offset(record), batch.length(record));
    }
}
