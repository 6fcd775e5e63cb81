package dev.loom.query.group;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.histogram.CellCounts;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.read.KeyedSummary;
import dev.loom.value.KeyEncoder;
import dev.loom.value.KeyWords;
import dev.loom.value.RecordBatch;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a query, and the cells: one for each group and step that has records. Without steps, groups and cells are the same.
 * Group 0 is that of the rest; the others have a key. For one thread.
 *
 * <pre>
 *   group:   0 last cell asked for + 1, or 0 (4 bytes) | 4 its step (4) | 8 the group that it counts in (4) | 12 padding (4)
 * </pre>
 */
final class GroupTable {
    static final int NONE = -1;

    /** The group of the rest. */
    static final int OTHER = 0;

    /** The most words that stand for keys: for each key, and besides. */
    private static final int WORDS_PER_KEY = 4;

    private static final int WORDS_SPARE = 1024;

    private static final int CELLS_MAX = CellCounts.CELLS_MAX;

    private static final int CELL_OFFSET = 0;
    private static final int STEP_OFFSET = CELL_OFFSET + Integer.BYTES;
    private static final int TARGET_OFFSET = STEP_OFFSET + Integer.BYTES;
    private static final int LENGTH = TARGET_OFFSET + Long.BYTES;

    private final GroupTerms terms;
    private final PayloadFormat format;
    private final KeyEncoder encoder;
    private final RecordLookup lookup;
    /** What stands for keys, and finds their groups; null if nothing does. */
    private final @Nullable KeyWords words;

    private final @Nullable WordGroups byWords;
    private final KeyTable keys;
    private final RecordTable groups;
    private final GroupStates states;
    private final boolean stepped;
    private final KeyTable cells;
    private final UnsafeBuffer cellKey = new UnsafeBuffer(new byte[Long.BYTES]);
    /** A key that an index has. */
    private final UnsafeBuffer indexed = new UnsafeBuffer(new byte[KeyEncoder.LENGTH_MAX]);

    /** The fields of an index whose keys were selected from last, and the places of the groups' among them. */
    private List<String> selectedFrom = List.of();

    private int[] places = {};
    private boolean selectsAll;
    private long records;
    private long longKeys;

    /**
     * Begins without groups but the one of the rest.
     *
     * @param states of the cells, none yet
     */
    GroupTable(
            GroupMemory memory,
            GroupTerms terms,
            PayloadFormat format,
            RecordLookup lookup,
            GroupStates states,
            long seed) {
        this.terms = terms;
        this.format = format;
        this.lookup = lookup;
        encoder = new KeyEncoder(format, terms.by(), lookup, 0);
        words = KeyWords.of(format, terms.by(), lookup, seed);
        byWords = words == null ? null : new WordGroups(memory, words);
        this.states = states;
        stepped = terms.stepNs() > 0;
        keys = new KeyTable(memory, seed);
        cells = stepped ? new KeyTable(memory, seed) : keys;
        groups = new RecordTable(memory, LENGTH);
        addGroup();
    }

    private int addGroup() {
        int group = groups.add();
        target(group, group);
        if (!stepped) {
            states.add();
        }
        return group;
    }

    boolean stepped() {
        return stepped;
    }

    /** The number of groups, with that of the rest. */
    int size() {
        return groups.size();
    }

    /** The number of records whose keys are too long. */
    long longKeys() {
        return longKeys;
    }

    /** The number of cells. */
    int cellCount() {
        return states.size();
    }

    /**
     * Finds the group of each record of a batch, new if need be.
     *
     * @throws GroupLimitException if a cap is exceeded and the rest is not counted as other
     */
    void add(RecordBatch batch, int[] into) {
        int count = batch.count();
        if (terms.by().isEmpty()) {
            Arrays.fill(into, 0, count, sole());
        } else {
            long known = findByWords(batch, into);
            for (int i = 0; i < count; i++) {
                // a new group may have come earlier in the batch, which the table of keys knows then
                if (into[i] == OTHER) {
                    long failures = lookup.failures();
                    into[i] = add(batch, i);
                    if (into[i] != OTHER && (known >>> i & 1) != 0 && lookup.failures() == failures) {
                        note(i, into[i]);
                    }
                }
            }
        }
        records += count;
    }

    /** Finds the groups that are known by words, else {@link #OTHER}. Returns a bit for each record that has words. */
    private long findByWords(RecordBatch batch, int[] into) {
        if (words == null || byWords == null) {
            Arrays.fill(into, 0, batch.count(), OTHER);
            return 0;
        }
        long known = words.read(batch);
        byWords.find(known, batch.count(), into);
        return known;
    }

    /** Notes the group of the i-th record's words, unless there are many more of these than keys. */
    private void note(int i, int group) {
        if (words != null && byWords != null && byWords.size() < WORDS_SPARE + WORDS_PER_KEY * keys.size()) {
            byWords.add(i, group);
        }
    }

    /** The group of the i-th record of a batch, new if need be. */
    private int add(RecordBatch batch, int i) {
        lookup.from(batch.address(i));
        int keyLength = encoder.encode(batch.buffer(), batch.offset(i), batch.length(i));
        if (keyLength == KeyEncoder.TOO_LONG) {
            longKeys++;
            return other(terms.longKeysAsOther(), Cap.KEY_BYTES, encoder.lengthWanted(), KeyTable.LENGTH_MAX, i);
        }
        return addKey(encoder.key(), keyLength, i);
    }

    /**
     * Finds the group of the current key of an index, which has the groups' fields, new if need be.
     *
     * @throws GroupLimitException if a cap is exceeded and the rest is not counted as other
     */
    int addKey(KeyedSummary keyed) {
        return addKey(indexed, select(keyed), 0);
    }

    /** Takes the groups' fields of an index's key; returns the length of what they make. */
    private int select(KeyedSummary keyed) {
        if (keyed.fields() != selectedFrom) {
            selectedFrom = keyed.fields();
            List<String> names = format.canonicalNames(selectedFrom);
            List<String> wanted = format.canonicalNames(terms.by());
            places = wanted.stream().mapToInt(names::indexOf).toArray();
            selectsAll = wanted.equals(names);
        }
        if (selectsAll) {
            keyed.buffer().getBytes(keyed.keyOffset(), indexed, 0, keyed.keyLength());
            return keyed.keyLength();
        }
        return KeyEncoder.select(keyed.buffer(), keyed.keyOffset(), places, indexed);
    }

    /** @param before records of the batch before this one */
    private int addKey(UnsafeBuffer from, int keyLength, int before) {
        long hash = keys.hash(from, keyLength);
        int key = keys.find(from, keyLength, hash);
        if (key != KeyTable.NONE) {
            return key + 1;
        } else if (keys.size() >= terms.groupsMax()) {
            return other(terms.restAsOther(), Cap.GROUPS, keys.size() + 1L, terms.groupsMax(), before);
        }
        keys.add(from, keyLength, hash);
        return addGroup();
    }

    private int other(boolean asOther, Cap cap, long found, long max, int before) {
        if (!asOther) {
            throw new GroupLimitException(cap, found, max, records + before + 1);
        }
        return OTHER;
    }

    /** Finds the group that each record of a batch counts in, or {@link #NONE}. */
    void find(RecordBatch batch, int[] into) {
        int count = batch.count();
        int unknown = terms.restAsOther() ? OTHER : NONE;
        if (terms.by().isEmpty()) {
            Arrays.fill(into, 0, count, groups.size() > 1 ? target(1) : unknown);
        } else {
            findByWords(batch, into);
            for (int i = 0; i < count; i++) {
                into[i] = into[i] == OTHER ? find(batch, i, unknown) : target(into[i]);
            }
        }
    }

    private int find(RecordBatch batch, int i, int unknown) {
        lookup.from(batch.address(i));
        int keyLength = encoder.encode(batch.buffer(), batch.offset(i), batch.length(i));
        if (keyLength == KeyEncoder.TOO_LONG) {
            return OTHER;
        }
        int key = keys.find(encoder.key(), keyLength, keys.hash(encoder.key(), keyLength));
        return key == KeyTable.NONE ? unknown : target(key + 1);
    }

    /** The group that the current key of an index counts in, or {@link #NONE}. */
    int findKey(KeyedSummary keyed) {
        int length = select(keyed);
        int key = keys.find(indexed, length, keys.hash(indexed, length));
        int unknown = terms.restAsOther() ? OTHER : NONE;
        return key == KeyTable.NONE ? unknown : target(key + 1);
    }

    /** The group of all records if there are no fields, new if need be. */
    int sole() {
        return groups.size() > 1 ? 1 : addKey(cellKey, 0, 0);
    }

    /**
     * The cell of a group and step, new if need be.
     *
     * @throws GroupLimitException if there are too many
     */
    int addCell(int group, int step) {
        return addCell(group, step, CELLS_MAX);
    }

    /** The cell of the group of the rest and a step, new if need be: groups that were found within the cap are counted beyond it. */
    int addCellOfRest(int step) {
        return addCell(OTHER, step, Integer.MAX_VALUE);
    }

    private int addCell(int group, int step, int cellsMax) {
        if (!stepped) {
            return group;
        }
        UnsafeBuffer buffer = groups.buffer(group);
        int at = groups.offset(group);
        int last = buffer.getInt(at + CELL_OFFSET) - 1;
        if (last != NONE && buffer.getInt(at + STEP_OFFSET) == step) {
            return last;
        }
        int cell = findCell(group, step);
        if (cell == NONE) {
            if (states.size() >= cellsMax) {
                throw new GroupLimitException(Cap.GROUPS_AND_STEPS, states.size() + 1L, cellsMax, records);
            }
            cells.add(cellKey, Long.BYTES, cells.hash(cellKey, Long.BYTES));
            cell = states.add();
        }
        buffer.putInt(at + CELL_OFFSET, cell + 1);
        buffer.putInt(at + STEP_OFFSET, step);
        return cell;
    }

    /** The cell of a group and step, or {@link #NONE}. */
    int findCell(int group, int step) {
        if (!stepped) {
            return group;
        }
        cellKey.putLong(0, (long) group << Integer.SIZE | step);
        return cells.find(cellKey, Long.BYTES, cells.hash(cellKey, Long.BYTES));
    }

    private long cellKey(int cell) {
        return cells.buffer(cell).getLong(cells.offset(cell));
    }

    /** The group of a cell. */
    int groupOf(int cell) {
        return stepped ? (int) (cellKey(cell) >>> Integer.SIZE) : cell;
    }

    /** The step of a cell. */
    int stepOf(int cell) {
        return stepped ? (int) cellKey(cell) : 0;
    }

    /** The group that a group's records count in: itself, or that of the rest. */
    int target(int group) {
        return groups.buffer(group).getInt(groups.offset(group) + TARGET_OFFSET);
    }

    void target(int group, int target) {
        groups.buffer(group).putInt(groups.offset(group) + TARGET_OFFSET, target);
    }

    /** Compares the keys of two groups, neither of which is that of the rest. */
    int compareKeys(int left, int right) {
        return KeyOrder.compare(
                keys.buffer(left - 1),
                keys.offset(left - 1),
                keys.buffer(right - 1),
                keys.offset(right - 1),
                terms.by().size());
    }

    /** The values of a group's key, newly allocated; none of that of the rest. */
    List<FieldValue> key(int group) {
        return group == OTHER ? List.of() : encoder.decode(keys.buffer(group - 1), keys.offset(group - 1));
    }
}
