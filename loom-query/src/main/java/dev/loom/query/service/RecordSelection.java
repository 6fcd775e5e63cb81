package dev.loom.query.service;

import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records that a request is about.
 *
 * @param range of arrival or event times
 * @param eventTime whether range, order and steps mean the times that the records carry themselves
 * @param conditions that must all hold
 */
public record RecordSelection(Source source, TimeRange range, boolean eventTime, List<Where> conditions) {
    private static final IndexFunction ONE = IndexFunction.of(
            "one", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, into) -> into.setInteger(1));

    /** @throws RequestException if the source's format lacks a condition's field, or can't compare it so */
    public RecordSelection {
        conditions = conditions("where", source, conditions);
    }

    /**
     * Checks what a source's records must meet.
     *
     * @param part the part of the request that the conditions are
     * @throws RequestException if the source's format lacks a condition's field, or can't compare it so
     */
    static List<Where> conditions(String part, Source source, List<Where> conditions) {
        List<Where> copy = List.copyOf(conditions);
        try {
            copy.forEach(condition -> condition.bind(source.format()));
        } catch (IllegalArgumentException e) {
            throw new RequestException(part, ": ", e);
        }
        return copy;
    }

    /**
     * What is evaluated for each record: a field as a number, or 1 if there is no field.
     *
     * @throws RequestException if the field is unknown or no number
     */
    public IndexFunction function(@Nullable String field) {
        return field == null ? ONE : number(source, field);
    }

    static IndexFunction number(Source source, String field) {
        return checked(() -> IndexFunction.field(source.format(), field));
    }

    /** Calls something whose refusal means that the request is invalid. */
    static <T> T checked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw new RequestException("", "", e);
        }
    }
}
