package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.ExpiredException;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.diff.Contingency;
import dev.loom.query.diff.DiffPart;
import dev.loom.query.diff.DiffPasses;
import dev.loom.query.diff.DiffRun;
import dev.loom.query.diff.DiffTerms;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What differs about some records of a source: the values and ranges of its fields, and combinations of them, that are more frequent
 * among the chosen records than among others.
 *
 * <pre>
 *     Difference.Result found = Difference.of(snapshot, source).selected(Where.parse("latency_ns &gt; 10ms")).run();
 *     found.findings().forEach(each -&gt; print(each.parts(), each.selected(), each.against(), each.riskRatio()));
 * </pre>
 *
 * <p><b>Sets.</b> {@link #selected} and {@link #selectedTimes} choose the records that meet every condition. They are compared with those
 * that meet {@link #against}, by default all others; a record in both sets counts as chosen. {@link #where} narrows both sets. The fields of
 * both conditions are left out, as they differ by definition.
 *
 * <p><b>Findings.</b> A missing value is a value. A field with more than 32 different numbers is compared by ranges, and the range that
 * tells most is reported; its ends come from samples of both sets. All counts are exact. A finding holds at least {@link #supportMin} of
 * the chosen records, its risk ratio is above 1 with 95 % confidence, and it is significant at 5 % by Fisher's exact test, corrected for
 * all comparisons (Bonferroni: the fields share the 5 % equally, and so do each field's values and ranges). A combination is a finding
 * only if it tells more than each of its parts. Findings are ordered by how much they tell, see {@link Finding#information}.
 *
 * <p><b>Reading.</b> One pass finds fields, frequent values and samples, a second one counts, a third one counts combinations of the 24
 * values and ranges that tell most.
 *
 * <p><b>Memory</b>, reserved in the {@link QueryMemory}: 1 MiB, and 160 KiB for each field. More fields than {@link #FIELDS_MAX} are
 * left out, see {@link Result#hasMoreFields}. Values longer than 250 bytes are left out as well. Not thread-safe.
 */
public final class Difference extends Query<Difference> {
    /** The most fields that are compared. */
    public static final int FIELDS_MAX = 256;

    /** The least share of the chosen records that a finding holds, if none is set. */
    public static final double SUPPORT_MIN_DEFAULT = 0.05;

    /** The least {@link #supportMin}: a value that is more frequent is never overlooked. */
    public static final double SUPPORT_MIN = 0.01;

    /** The most fields of a finding. */
    public static final int ORDER_MAX = 3;

    /** How often to begin again because records of the range were deleted. */
    private static final int ATTEMPTS_MAX = 4;

    private final Snapshot snapshot;
    private final int sourceId;
    private final List<Where> selected = new ArrayList<>();
    private @Nullable IndexFunction function;
    private ValueRange values = ValueRange.ALL;
    private @Nullable TimeRange times;
    private @Nullable Where against;
    private List<String> fields = List.of();
    private final Set<String> ignored = new TreeSet<>();
    private double supportMin = SUPPORT_MIN_DEFAULT;
    private int order = ORDER_MAX;
    private int fieldsMax = FIELDS_MAX;

    private Difference(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
        this.snapshot = snapshot;
        this.sourceId = sourceId;
    }

    /** Compares records of a source. */
    public static Difference of(Snapshot snapshot, int sourceId) {
        return new Difference(snapshot, sourceId);
    }

    @Override
    Difference self() {
        return this;
    }

    /**
     * Chooses the records that meet a condition. Several calls are joined by and.
     *
     * @throws IllegalArgumentException if the format lacks a field, or if the field can't be compared in this way
     */
    public Difference selected(Where condition) {
        condition.bind(format());
        selected.add(condition);
        ignored.addAll(condition.fields());
        return this;
    }

    /**
     * Chooses the records with a value in a range.
     *
     * @param field the field that the function reads, which is left out
     */
    public Difference selected(String field, IndexFunction reads, ValueRange range) {
        function = Objects.requireNonNull(reads);
        values = Objects.requireNonNull(range);
        ignored.add(field);
        return this;
    }

    /** Chooses the records of a part of the range: of arrival times, or with {@link #eventRange} of the records' own times. */
    public Difference selectedTimes(TimeRange range) {
        times = Objects.requireNonNull(range);
        return this;
    }

    /**
     * What the chosen records are compared with; default all others. Replaces what was set before.
     *
     * @throws IllegalArgumentException if the format lacks a field, or if the field can't be compared in this way
     */
    public Difference against(Where condition) {
        condition.bind(format());
        ignored.addAll(condition.fields());
        against = condition;
        return this;
    }

    /**
     * The fields to compare; by default all that the format declares and that records name themselves, except those in the
     * conditions that choose.
     *
     * @throws IllegalArgumentException if there are too many
     * @throws UnknownFieldException if the format lacks one
     */
    public Difference fields(List<String> names) {
        if (names.size() > FIELDS_MAX) {
            throw new IllegalArgumentException("too many fields: count=" + names.size() + ", max=" + FIELDS_MAX);
        }
        names.forEach(name -> KeyEncoder.check(format(), name));
        fields = List.copyOf(names);
        return this;
    }

    /** Leaves out fields; several calls add up. */
    public Difference ignore(List<String> names) {
        ignored.addAll(names);
        return this;
    }

    /** The least share of the chosen records that a finding holds, from {@link #SUPPORT_MIN} to 1. */
    public Difference supportMin(double share) {
        if (!(share >= SUPPORT_MIN && share <= 1)) {
            throw new IllegalArgumentException(
                    "support is out of range: share=" + share + ", min=" + SUPPORT_MIN + ", max=1");
        }
        supportMin = share;
        return this;
    }

    /** The most fields of a finding, from 1 to {@link #ORDER_MAX}, the default. */
    public Difference order(int most) {
        if (most < 1 || most > ORDER_MAX) {
            throw new IllegalArgumentException("order is out of range: fields=" + most + ", min=1, max=" + ORDER_MAX);
        }
        order = most;
        return this;
    }

    /** The most fields to compare, from 1 to {@link #FIELDS_MAX}, the default. */
    public Difference fieldsMax(int most) {
        if (most < 1 || most > FIELDS_MAX) {
            throw new IllegalArgumentException("cap is out of range: fields=" + most + ", min=1, max=" + FIELDS_MAX);
        }
        fieldsMax = most;
        return this;
    }

    private PayloadFormat format() {
        return QueryTerms.format(snapshot, sourceId);
    }

    /**
     * Runs the query. If it ends before everything is counted, there are no findings; if it ends before combinations are counted, there
     * are no combinations. The completeness says so.
     *
     * @throws ExpiredException if retention deletes records of the range faster than the passes read them
     * @throws QueryMemory.Exhausted if there is no memory for the fields
     */
    public Result run() {
        QueryTerms terms = narrowed(terms());
        DiffTerms asked = new DiffTerms(fields, Set.copyOf(ignored), fieldsMax, supportMin, order);
        try (QueryScope scope = new QueryScope(terms)) {
            SetTests tests = new SetTests(
                    terms, scope.lookup(), selected.isEmpty() ? null : all(selected), against, function, values, times);
            DiffPasses passes =
                    new DiffPasses(scope, new DiffTerms.Sets(tests::isSelected, tests.against(), tests.operands()));
            for (int attempt = 1; ; attempt++) {
                try {
                    DiffRun run = DiffRun.run(
                            asked,
                            passes,
                            terms.format(),
                            scope.lookup(),
                            terms.limits().memory());
                    scope.endWalk();
                    QueryStatistics work = scope.statistics(passes.recordsRead())
                            .plus(QueryStatistics.NONE.seeing(tests.fieldsSeen()));
                    return Result.of(run, ignored, work, scope.completeness());
                } catch (ExpiredException e) {
                    if (attempt == ATTEMPTS_MAX) {
                        throw e;
                    }
                    passes.restart();
                }
            }
        }
    }

    /** If both sets have conditions, indexes may show which parts of the log hold neither. */
    private QueryTerms narrowed(QueryTerms terms) {
        if (selected.isEmpty() || against == null) {
            return terms;
        }
        List<Where> all = new ArrayList<>(terms.conditions());
        all.add(new Where.Or(List.of(all(selected), against)));
        return new QueryTerms(
                terms.snapshot(),
                terms.sourceId(),
                all,
                terms.range(),
                terms.addresses(),
                terms.eventRange(),
                terms.limits(),
                terms.usable());
    }

    private static Where all(List<Where> conditions) {
        return conditions.size() == 1 ? conditions.get(0) : new Where.And(conditions);
    }

    /**
     * One field with a value, without one, or within a range of numbers.
     *
     * @param value {@link FieldValue.Kind#ABSENT} if it is missing; null for a range
     * @param low the least number of a range; null if it has no such end
     * @param high the number that ends a range and is not in it; null if it has no such end
     */
    public record Part(
            String field,
            @Nullable FieldValue value,
            @Nullable BigDecimal low,
            @Nullable BigDecimal high) {
        private static Part of(DiffPart part) {
            return part.isRange()
                    ? new Part(part.name(), null, part.low(), part.high())
                    : new Part(part.name(), part.value(), null, null);
        }

        /** Whether it is a range of numbers. */
        public boolean isRange() {
            return value == null;
        }

        /** A condition that its records meet; empty if no condition can name the value: bytes, objects, arrays. */
        public Optional<Where> where() {
            FieldValue single = value;
            if (single == null) {
                List<Where> ends = new ArrayList<>();
                if (low != null) {
                    ends.add(new Where.Comparison(field, Operator.GREATER_OR_EQUAL, number(low)));
                }
                if (high != null) {
                    ends.add(new Where.Comparison(field, Operator.LESS, number(high)));
                }
                return ends.isEmpty() ? Optional.empty() : Optional.of(all(ends));
            }
            return switch (single.kind()) {
                case ABSENT -> Optional.of(new Where.IsNull(field));
                case INTEGER, UNSIGNED -> equal(number(new BigDecimal(single.text())));
                case DOUBLE -> Double.isFinite(single.doubleValue()) ? equal(nearest(single)) : Optional.empty();
                case BOOLEAN -> equal(new Literal.Bool(single.longValue() != 0));
                case TEXT -> isUtf8(single) ? equal(new Literal.Text(single.text())) : Optional.empty();
                case BYTES, JSON -> Optional.empty();
            };
        }

        private static boolean isUtf8(FieldValue text) {
            byte[] stored = new byte[text.length()];
            text.bytes().getBytes(text.offset(), stored);
            return Arrays.equals(stored, text.text().getBytes(StandardCharsets.UTF_8));
        }

        private Optional<Where> equal(Literal literal) {
            return Optional.of(new Where.Comparison(field, Operator.EQUAL, literal));
        }

        /** From 2^53 on the digits stand for the nearest double, as a literal with an exponent does. */
        private static Literal.Numeric nearest(FieldValue finite) {
            BigDecimal printed = new BigDecimal(finite.text());
            return Math.abs(finite.doubleValue()) < 0x1p53 ? number(printed) : new Literal.Numeric(printed, false);
        }

        private static Literal.Numeric number(BigDecimal number) {
            BigDecimal plain = number.stripTrailingZeros();
            return plain.scale() <= 0
                    ? new Literal.Numeric(plain.setScale(0), true)
                    : new Literal.Numeric(number, false);
        }
    }

    /**
     * How the numbers of a field are distributed in both sets.
     *
     * @param distance the greatest difference of the shares of numbers below some number, from 0 to 1
     * @param selected the quartiles of the chosen records, from samples of at most 2,048 records
     * @param against the quartiles of the others
     */
    public record Shift(double distance, List<Double> selected, List<Double> against) {}

    /**
     * What is more frequent among the chosen records. All counts are exact.
     *
     * @param parts one, or up to three of different fields that hold together
     * @param selected the chosen records that have it
     * @param selectedOf the chosen records
     * @param against the others that have it
     * @param againstOf the others
     * @param riskRatio how many times as likely a record with it is chosen as one without; if any of the four numbers is 0, a half is
     *     added to each
     * @param riskRatioLow the lower end of its interval of 95 % confidence
     * @param riskRatioHigh the upper end
     * @param information the share of what there is to know about the choice that it tells, 0 to 1: mutual information by entropy
     * @param probability that chance finds any like it among all comparisons, 0 to 1
     * @param same other parts, each with exactly the same records
     * @param shift of the numbers of a single range; null for others
     */
    public record Finding(
            List<Part> parts,
            long selected,
            long selectedOf,
            long against,
            long againstOf,
            double riskRatio,
            double riskRatioLow,
            double riskRatioHigh,
            double information,
            double probability,
            List<Part> same,
            @Nullable Shift shift) {
        private static Finding of(DiffRun.Found found) {
            Contingency counts = found.counts();
            Contingency.Ratio ratio = counts.riskRatio();
            DiffRun.Shift shift = found.shift();
            return new Finding(
                    found.parts().stream().map(Part::of).toList(),
                    counts.selected(),
                    counts.selectedOf(),
                    counts.against(),
                    counts.againstOf(),
                    ratio.value(),
                    ratio.low(),
                    ratio.high(),
                    counts.information(),
                    found.probability(),
                    found.same().stream().map(Part::of).toList(),
                    shift == null ? null : new Shift(shift.distance(), shift.selected(), shift.against()));
        }

        /** Whether its records are exactly the chosen ones. */
        public boolean isExact() {
            return selected == selectedOf && against == 0;
        }

        /** A condition that its records meet; empty if no condition can name a value. */
        public Optional<Where> where() {
            List<Where> terms = new ArrayList<>();
            for (Part part : parts) {
                Where term = part.where().orElse(null);
                if (term == null) {
                    return Optional.empty();
                } else if (term instanceof Where.And range) {
                    terms.addAll(range.terms());
                } else {
                    terms.add(term);
                }
            }
            return Optional.of(all(terms));
        }
    }

    /**
     * The answer.
     *
     * @param findings what is more frequent among the chosen records; what tells most comes first
     * @param selected the number of chosen records
     * @param against the number of records that they are compared with
     * @param fields that were compared, by name
     * @param ignored fields that were left out because they choose, by name
     * @param hasMoreFields whether there were more fields than the cap, which were not compared
     * @param supportMin the fewest chosen records of a finding; 0 if nothing was compared
     * @param overlookedMax a value may have been overlooked if at most this many chosen records have it; less than {@code supportMin}
     * @param comparisons about how many there were
     * @param isCombined whether combinations were counted; not if the query ended before
     * @param statistics the work that was done
     * @param completeness what the answer lacks
     */
    public record Result(
            List<Finding> findings,
            long selected,
            long against,
            List<String> fields,
            List<String> ignored,
            boolean hasMoreFields,
            long supportMin,
            long overlookedMax,
            long comparisons,
            boolean isCombined,
            QueryStatistics statistics,
            Completeness completeness) {
        private static Result of(
                DiffRun run, Set<String> ignored, QueryStatistics statistics, Completeness completeness) {
            return new Result(
                    run.found().stream().map(Finding::of).toList(),
                    run.selected(),
                    run.against(),
                    run.fields(),
                    List.copyOf(ignored),
                    run.hasMoreFields(),
                    run.supportMin(),
                    run.sketchError(),
                    Math.round(run.comparisons()),
                    run.isCombined(),
                    statistics,
                    completeness);
        }
    }
}
