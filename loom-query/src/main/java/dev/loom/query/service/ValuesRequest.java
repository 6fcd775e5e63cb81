package dev.loom.query.service;

import dev.loom.query.model.GroupOrder;
import java.util.List;

/**
 * Asks which values a field has, and how many records have each; the most frequent first.
 *
 * @param field of any kind
 * @param limit the most values in the answer, besides the rest
 */
public record ValuesRequest(
        RecordSelection records, String field, int limit, GroupRequest.Caps caps, QueryLimits limits)
        implements SourceRequest {
    /** @throws RequestException if the field is unknown, or the limit negative */
    public ValuesRequest {
        groups(records, field, limit, caps, limits);
    }

    /** The groups that are the answer. */
    GroupRequest groups() {
        return groups(records, field, limit, caps, limits);
    }

    private static GroupRequest groups(
            RecordSelection records, String field, int limit, GroupRequest.Caps caps, QueryLimits limits) {
        return new GroupRequest(
                records,
                null,
                new GroupRequest.Keys(List.of(field), null),
                List.of(),
                null,
                GroupOrder.COUNT,
                limit,
                caps,
                limits);
    }
}
