package dev.loom.filter;

import dev.loom.format.IndexedText;
import dev.loom.format.IndexedText.Part;
import dev.loom.text.TokenCondition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the rows of a group's units that may meet a condition. Takes two sets of rows for each unit and level of the condition. Reused
 * for group after group; for one thread.
 */
final class UnitSearch {
    private final TokenCondition condition;
    /** Sets that are free; one for each unit. */
    private final List<RowSet[]> free = new ArrayList<>();

    private RowSet[] found = {};

    UnitSearch(TokenCondition condition) {
        this.condition = condition;
    }

    /** Searches the units of a group; then {@link #rows} is about them. */
    void search(UnitGroup group) {
        if (found.length != group.units()) {
            free.clear(); // the sets of groups of one size are reused
        } else {
            free.add(found);
        }
        Search search = new Search(group);
        found = new RowSet[0]; // if it fails, nothing is known
        found = search.find(condition);
        free.addAll(search.uncertain.values());
    }

    /** The rows of a unit that may meet the condition. */
    RowSet rows(int unit) {
        return found[unit];
    }

    /** The search of one group. */
    private final class Search {
        private final UnitGroup group;
        /** By part of the index: the rows whose values could not all be taken. */
        private final Map<Part, RowSet[]> uncertain = new HashMap<>();

        Search(UnitGroup group) {
            this.group = group;
        }

        RowSet[] find(TokenCondition term) {
            if (term instanceof TokenCondition.All all) {
                RowSet[] rows = fill(take());
                for (TokenCondition next : all.terms()) {
                    rows = merge(rows, find(next), true);
                }
                return rows;
            } else if (term instanceof TokenCondition.Any any) {
                RowSet[] rows = find(any.terms().get(0));
                for (int i = 1; i < any.terms().size(); i++) {
                    rows = merge(rows, find(any.terms().get(i)), false);
                }
                return rows;
            } else if (term instanceof TokenCondition.Word word) {
                return has(word.field(), true) ? orUncertain(word.field(), true, word(word.digest())) : fill(take());
            } else if (term instanceof TokenCondition.Prefix prefix) {
                return has(prefix.field(), true)
                        ? orUncertain(prefix.field(), true, prefix(prefix.digests()))
                        : fill(take());
            } else {
                TokenCondition.Value value = (TokenCondition.Value) term;
                return has(value.field(), false)
                        ? orUncertain(value.field(), false, word(value.digest()))
                        : fill(take());
            }
        }

        private RowSet[] word(long digest) {
            RowSet[] rows = take();
            if (group.contents().frequent().contains(digest)) {
                group.seekFrequent(digest);
                for (int i = 0; i < rows.length; i++) {
                    int most = group.count(i);
                    if (most == 0) {
                        rows[i].clear();
                    } else {
                        rows[i].setMost(most);
                    }
                }
            } else {
                group.seekRare(digest);
                for (int i = 0; i < rows.length; i++) {
                    group.rows(i, rows[i]);
                }
            }
            return rows;
        }

        private RowSet[] prefix(List<Long> digests) {
            RowSet[] rows = take();
            int length = Math.min(digests.size(), group.shape().prefixLength());
            if (group.shape().prefixBits() == 0) {
                return fill(rows);
            }
            group.seekPrefix(digests.get(length - 1));
            for (int i = 0; i < rows.length; i++) {
                setAllOrNone(rows[i], group.mayContain(i));
            }
            return rows;
        }

        private void setAllOrNone(RowSet rows, boolean all) {
            if (all) {
                rows.setAll();
            } else {
                rows.clear();
            }
        }

        private boolean has(String field, boolean words) {
            IndexedText indexed = group.contents().indexed();
            return words ? indexed.hasWords(field) : indexed.hasValues(field);
        }

        /** Adds the rows of which the index does not know all. */
        private RowSet[] orUncertain(String field, boolean words, RowSet[] rows) {
            RowSet[] result = rows;
            for (Part part : group.contents().indexed().fields()) {
                if (part.words() == words && part.has(field)) {
                    result = merge(result, copy(uncertain(part)), false);
                }
            }
            return result;
        }

        private RowSet[] uncertain(Part part) {
            RowSet[] rows = uncertain.get(part);
            if (rows == null) {
                rows = word(RowTokens.uncertain(part));
                uncertain.put(part, rows);
            }
            return rows;
        }

        private RowSet[] copy(RowSet[] rows) {
            RowSet[] copied = take();
            for (int i = 0; i < rows.length; i++) {
                copied[i].set(rows[i]);
            }
            return copied;
        }

        private RowSet[] fill(RowSet[] rows) {
            for (RowSet set : rows) {
                set.setAll();
            }
            return rows;
        }

        /** Gives both sets back, and returns what belongs to both of them, or to one. */
        private RowSet[] merge(RowSet[] a, RowSet[] b, boolean both) {
            RowSet[] merged = take();
            for (int i = 0; i < merged.length; i++) {
                if (both) {
                    merged[i].setAnd(a[i], b[i]);
                } else {
                    merged[i].setOr(a[i], b[i]);
                }
            }
            free.add(a);
            free.add(b);
            return merged;
        }

        private RowSet[] take() {
            if (!free.isEmpty()) {
                return free.remove(free.size() - 1);
            }
            RowSet[] rows = new RowSet[group.units()];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = new RowSet();
            }
            return rows;
        }
    }
}
