package dev.loom.query.group;

import dev.loom.query.model.GroupOrder;
import dev.loom.query.plan.IndexedFunction;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a grouped aggregate asks. Immutable.
 *
 * @param values the function of the values; null to count records
 * @param by the fields whose values are a group's key
 * @param stepNs 0 for one step
 * @param percentiles of the values, ascending, without repeats
 * @param distinct the field whose distinct values are counted; null for none
 * @param order of the groups
 * @param limit the most groups shown, besides that of the rest
 * @param groupsMax the most groups held, besides that of the rest
 * @param distinctMax the most distinct values held, of all groups
 * @param restAsOther whether what exceeds these caps is one group, instead of an error
 * @param longKeysAsOther whether keys that are too long are of that group, too
 */
public record GroupTerms(
        @Nullable IndexedFunction values,
        List<String> by,
        long stepNs,
        List<BigDecimal> percentiles,
        @Nullable String distinct,
        GroupOrder order,
        int limit,
        int groupsMax,
        int distinctMax,
        boolean restAsOther,
        boolean longKeysAsOther) {}
