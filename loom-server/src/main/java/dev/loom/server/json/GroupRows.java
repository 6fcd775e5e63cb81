package dev.loom.server.json;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Group;
import dev.loom.query.Groups;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.GroupRequest;
import dev.loom.query.service.ValuesRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Groups as rows of named values, as JSON has them. For one thread. */
public final class GroupRows {
    private final GroupRequest request;
    private final TimeRange covered;
    private final Completeness missing;
    private final Groups groups;
    private final boolean exact;
    private final boolean[] singlePrecision;

    /**
     * Prepares rows.
     *
     * @param covered the times of all groups
     * @param missing what they lack
     */
    public GroupRows(GroupRequest request, TimeRange covered, Completeness missing, Groups groups) {
        this.missing = missing;
        this.request = request;
        this.covered = covered;
        this.groups = groups;
        exact = request.records().function(request.field()).isExact();
        PayloadFormat format = request.records().source().format();
        List<String> fields = request.keys().fields();
        singlePrecision = new boolean[fields.size()];
        for (int i = 0; i < singlePrecision.length; i++) {
            singlePrecision[i] = FieldCell.hasSinglePrecision(format, fields.get(i));
        }
    }

    /** A row for each group and step. */
    public void forEach(Consumer<Map<String, @Nullable Object>> rows) {
        groups.forEach(group -> rows.accept(row(group)));
    }

    /** A group, or one of its steps, as a row. */
    public Map<String, @Nullable Object> row(Group group) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("source", request.records().source().name());
        if (request.field() != null) {
            row.put("field", request.field());
        }
        if (group.isOther()) {
            row.put("other", true);
        } else {
            row.put("by", key(group));
        }
        TimeRange range = range(group);
        row.put("from", range.fromNs() == Long.MIN_VALUE ? null : range.fromNs());
        row.put("to", range.toNs() == Long.MAX_VALUE ? null : range.toNs());
        row.put("count", group.count());
        if (request.field() != null) {
            row.put("sum", NumberText.sum(group.sum()));
            row.put("min", NumberText.number(group.min().orElse(null), exact));
            row.put("max", NumberText.number(group.max().orElse(null), exact));
            row.put("mean", group.count() == 0 ? null : (Object) group.mean());
        }
        row.put("rate", rate(group));
        if (request.field() != null) {
            Map<String, @Nullable Object> percentiles = new LinkedHashMap<>();
            request.percentiles()
                    .forEach(percentile -> percentiles.put(
                            percentile.toPlainString(),
                            NumberText.number(group.percentiles().get(percentile), exact)));
            row.put("percentiles", percentiles);
        }
        if (request.distinct() != null) {
            row.put("distinct", group.distinct());
            row.put("distinct_exact", groups.distinctExact());
        }
        row.put("complete", missing.complete());
        row.put("lost", missing.lost());
        return row;
    }

    /** The values of a group's key by their fields; empty for the rest. */
    public Map<String, FieldCell> key(Group group) {
        List<String> fields = request.keys().fields();
        Map<String, FieldCell> key = new LinkedHashMap<>();
        for (int i = 0; i < group.key().size(); i++) {
            key.put(fields.get(i), new FieldCell(group.key().get(i), singlePrecision[i]));
        }
        return key;
    }

    /** The times of a group or step. */
    public TimeRange range(Group group) {
        return request.keys().steps() == null ? covered : group.range();
    }

    /** Values per second; null if the range has no start or no end. */
    public @Nullable Double rate(Group group) {
        TimeRange range = range(group);
        return range.isBounded() ? (Double) (group.count() / range.seconds()) : null;
    }

    /** Whether two rows are steps of one group. */
    public static boolean isSame(Group left, Group right) {
        return left.isOther() == right.isOther()
                && IntStream.range(0, left.key().size())
                        .allMatch(i -> isSame(left.key().get(i), right.key().get(i)));
    }

    private static boolean isSame(FieldValue left, FieldValue right) {
        if (left.kind() != right.kind()) {
            return false;
        }
        return switch (left.kind()) {
            case ABSENT -> true;
            case INTEGER, UNSIGNED, BOOLEAN -> left.longValue() == right.longValue();
            case DOUBLE -> Double.compare(left.doubleValue(), right.doubleValue()) == 0;
            case TEXT, BYTES, JSON -> bytes(left).equals(bytes(right));
        };
    }

    private static UnsafeBuffer bytes(FieldValue value) {
        return new UnsafeBuffer(value.bytes(), value.offset(), value.length());
    }

    /** A row for each value, with its count. */
    public static void values(ValuesRequest request, Groups values, Consumer<Map<String, @Nullable Object>> rows) {
        boolean single = FieldCell.hasSinglePrecision(request.records().source().format(), request.field());
        for (Group group : values) {
            Map<String, @Nullable Object> row = new LinkedHashMap<>();
            if (group.isOther()) {
                row.put("other", true);
            } else {
                row.put("value", new FieldCell(group.key().get(0), single));
            }
            row.put("count", group.count());
            rows.accept(row);
        }
    }
}
