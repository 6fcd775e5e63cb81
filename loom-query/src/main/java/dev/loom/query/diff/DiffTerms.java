package dev.loom.query.diff;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to compare.
 *
 * @param fields to compare; empty for all
 * @param ignored fields that are left out
 * @param fieldsMax the most fields
 * @param supportMin the least share of the chosen records that a finding holds
 * @param order the most fields of a finding
 */
public record DiffTerms(List<String> fields, Set<String> ignored, int fieldsMax, double supportMin, int order) {
    /**
     * The two sets. A record of both belongs to the chosen ones.
     *
     * @param against null for all that are not chosen
     * @param operands that the tests of a record may calculate with
     */
    public record Sets(RecordTest selected, @Nullable RecordTest against, int operands) {}
}
