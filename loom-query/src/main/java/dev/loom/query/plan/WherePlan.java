package dev.loom.query.plan;

import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import dev.loom.query.where.Where.Operator;
import dev.loom.read.ChunkCursor;
import dev.loom.read.SnapshotReader;
import dev.loom.read.TextUnits;
import dev.loom.text.TokenCondition;
import dev.loom.value.BinScale;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What indexes say about a query's conditions, chunk by chunk. Where they say nothing, records are read, so the plan never
 * changes an answer. It explains itself with one line per comparison. For one thread.
 */
public final class WherePlan {
    private final QueryTerms terms;
    private final List<Index> indexes;
    private final SnapshotReader reader;
    private final @Nullable PayloadFormat format;
    /** What all records must meet; null for nothing. */
    private final @Nullable Where all;

    private final Map<Object, IndexSummaries> summaries = new HashMap<>();
    private final List<Supplier<String>> lines = new ArrayList<>();
    private @Nullable TextUnits textUnits;
    private boolean searchesText;
    /** The search for what all records must have; null if there is no such text. */
    private TextUnits.@Nullable Search textSearch;

    private boolean textTells;
    private boolean ruledOutByText;
    private long readInVain;
    private final @Nullable KeyedCondition keyed;
    private final ChunkCondition where;
    private ChunkCondition more = ChunkCondition.ALWAYS;
    private boolean selectsKeys;

    public WherePlan(QueryTerms terms, SnapshotReader reader) {
        this.terms = terms;
        this.indexes = terms.indexes();
        this.reader = reader;
        this.format = terms.conditions().isEmpty() ? null : terms.format();
        if (!terms.uses(QueryIndex.TIME)) {
            lines.add(() -> "timestamp index: disabled");
        }
        List<Where> conditions = terms.conditions().stream()
                .map(written -> written.resolve(terms.format()))
                .toList();
        this.all = switch (conditions.size()) {
            case 0 -> null;
            case 1 -> conditions.get(0);
            default -> new Where.And(conditions);
        };
        ChunkCondition others = all == null ? ChunkCondition.ALWAYS : planWithText(all);
        KeyedCondition keys = all == null ? null : planKeys(all);
        this.keyed = keys;
        this.where = keys == null ? others : withKeys(keys, others);
        if (keys != null && all instanceof Where.And and) {
            and.terms().forEach(term -> requireOfKeys(keys, term));
        }
    }

    /** What the query asks. */
    public QueryTerms terms() {
        return terms;
    }

    /** What is known about the conditions. */
    public ChunkCondition condition() {
        if (keyed == null) {
            return more == ChunkCondition.ALWAYS ? where : where == ChunkCondition.ALWAYS ? more : both(where, more);
        }
        return chunk -> {
            selectsKeys = false;
            Coverage first = where.cover(chunk);
            Coverage second = first == Coverage.NONE ? first : more.cover(chunk);
            selectsKeys = keyed.selects() && second == Coverage.ALL;
            return first.and(second);
        };
    }

    /** The bins of an index by keys over a function that may answer; null if there are none. */
    @Nullable
    public BinScale keyScale(IndexFunction function) {
        return keyed == null || !keyed.isWhole() ? null : keyed.scale(function);
    }

    /** Adds a further condition. */
    public void require(ChunkCondition further) {
        more = more == ChunkCondition.ALWAYS ? further : both(more, further);
    }

    /**
     * Adds the condition that a value lies in some ranges.
     *
     * @param summaries of the indexes over it; null if there are none
     */
    public void requireValues(IndexFunction function, @Nullable IndexSummaries summaries, KeyRanges ranges) {
        if (summaries != null) {
            require(new KeyCondition(summaries, ranges, ranges));
        }
        if (keyed != null && keyed.scale(function) != null) {
            require(new KeyedValueCondition(keyed, function, ranges));
        }
    }

    /**
     * The condition that says which keys' records of the chunk are those that count, after {@link #condition()} was asked about it; null if
     * that can't be seen from keys.
     */
    public @Nullable KeyedCondition keys() {
        return selectsKeys ? keyed : null;
    }

    /**
     * How many of the chunk's records are to be expected to meet the condition, after {@link #condition()} was asked about it: what the
     * text index knows of its unit, or else all.
     */
    public double expectedRows(ChunkCursor chunk) {
        TextUnits.Search search = textSearch;
        return search == null || textUnit() < 0
                ? chunk.records()
                : Math.min(search.chunkRows(), (double) chunk.records());
    }

    /** The unit of the text index that answered for the chunk asked about last; -1 if none did. */
    public long textUnit() {
        TextUnits.Search search = textSearch;
        return search == null || !textTells ? -1 : search.unit();
    }

    /** Whether the text index ruled out something that {@link #condition()} was asked about since this was asked last. */
    public boolean takeRuledOutByText() {
        boolean ruledOut = ruledOutByText;
        ruledOutByText = false;
        return ruledOut;
    }

    /** Whether {@link #textUnitRowsMost()} is near the truth, as far as the text index can tell. */
    public boolean isTextUnitBounded() {
        return Objects.requireNonNull(textSearch).unitBounded();
    }

    /** How many records of {@link #textUnit()} can meet the condition at most. */
    public long textUnitRowsMost() {
        return Objects.requireNonNull(textSearch).unitRowsMost();
    }

    /** Notes that a chunk to which the text index led had no record that meets the conditions. */
    public void noteReadInVain() {
        readInVain++;
    }

    /** Whether any index is used. */
    public boolean hasIndexes() {
        return !summaries.isEmpty() || searchesText || keyed != null;
    }

    /** How indexes are used, or why not. */
    public List<String> lines() {
        return lines.stream().map(Supplier::get).toList();
    }

    /** Adds a line to the explanation. */
    public void explain(Supplier<String> line) {
        lines.add(line);
    }

    /** The summaries of indexes with equal functions; the same instance for the same indexes. */
    public IndexSummaries summaries(List<Index> ofIndexes) {
        return summaries.computeIfAbsent(
                ofIndexes.stream().map(Index::id).toList(), ids -> new IndexSummaries(ofIndexes, reader.summary()));
    }

    private static ChunkCondition both(ChunkCondition a, ChunkCondition b) {
        return chunk -> {
            Coverage first = a.cover(chunk);
            return first == Coverage.NONE ? first : first.and(b.cover(chunk));
        };
    }

    private static ChunkCondition either(ChunkCondition a, ChunkCondition b) {
        return chunk -> {
            Coverage first = a.cover(chunk);
            return first == Coverage.ALL ? first : first.or(b.cover(chunk));
        };
    }

    /** What all indexes say; the text index is asked for the whole expression at once, as it knows rows and not only chunks. */
    private ChunkCondition planWithText(Where expression) {
        TokenCondition tokens = terms.uses(QueryIndex.TEXT) ? TokenTerms.of(expression) : TokenCondition.NONE;
        ChunkCondition others = plan(expression);
        TextUnits units = tokens.equals(TokenCondition.NONE) ? null : textUnits();
        if (units == null || units.isEmpty()) {
            return others;
        }
        searchesText = true;
        TextUnits.Search search = units.search(tokens);
        boolean required = expression.equals(all);
        if (required) {
            textSearch = search;
        }
        lines.add(() -> expression + ": text index, " + describe(search.tally())
                + (required ? ", chunks read in vain=" + readInVain : ""));
        return chunk -> {
            Coverage known = others.cover(chunk);
            textTells = known != Coverage.NONE;
            if (textTells && !search.mayMeet(chunk)) {
                ruledOutByText = true;
                return Coverage.NONE;
            }
            return known;
        };
    }

    /** What indexes by keys say: of those with a part of the condition the one with the whole of it, or else the first. */
    private @Nullable KeyedCondition planKeys(Where expression) {
        KeyedCondition best = null;
        for (List<String> fields : terms.keyFields()) {
            KeyedSummaries known = KeyedSummaries.by(terms, reader, fields);
            KeyedCondition found = known == null ? null : KeyedCondition.of(expression, terms.format(), fields, known);
            if (found != null && (best == null || (found.isWhole() && !best.isWhole()))) {
                best = found;
            }
        }
        KeyedCondition used = best;
        if (used != null) {
            lines.add(() -> expression + ": " + used);
        }
        return used;
    }

    /** Asks for values of the keys alone, where a term beside the condition on the key compares a field that the index is over. */
    private void requireOfKeys(KeyedCondition keys, Where term) {
        if (term instanceof Where.Comparison comparison && comparison.operator() != Operator.NOT_EQUAL) {
            requireOfKeys(keys, comparison.field(), comparison.operator(), List.of(comparison.literal()));
        } else if (term instanceof Where.In in) {
            requireOfKeys(keys, in.field(), Operator.EQUAL, in.literals());
        }
    }

    private void requireOfKeys(KeyedCondition keys, String field, Operator operator, List<Literal> literals) {
        if (literals.stream().anyMatch(Literal.Text.class::isInstance)) {
            return;
        }
        for (IndexFunction function : keys.functions()) {
            if (!function.isLambda() && function.name().equals(field)) {
                Field.@Nullable Type type = terms.format().declaredType(field);
                KeyRanges possible = KeyRanges.of(literals.stream()
                        .map(literal -> LiteralKeys.of(literal, operator, type, function.type())
                                .possible())
                        .toList());
                require(new KeyedValueCondition(keys, function, possible));
            }
        }
    }

    /** What the keys say about a condition where others rule nothing out: the keys of a chunk are the most there is to read. */
    private ChunkCondition withKeys(KeyedCondition keys, ChunkCondition others) {
        return chunk -> {
            Coverage known = others.cover(chunk);
            Coverage ofKeys = known == Coverage.NONE ? known : keys.cover(chunk);
            if (ofKeys == Coverage.NONE || (ofKeys == Coverage.ALL && keys.isWhole())) {
                textTells = false;
                return ofKeys;
            }
            return known;
        };
    }

    private TextUnits textUnits() {
        TextUnits units = textUnits;
        if (units == null) {
            units = reader.textUnits(terms.sourceId());
            textUnits = units;
        }
        return units;
    }

    private static String describe(TextUnits.Tally tally) {
        return "units=" + tally.units() + ", skipped=" + tally.unitsSkipped() + ", chunks skipped by filter="
                + tally.chunksSkippedByFilter() + ", by row numbers=" + tally.chunksSkippedByRows() + ", left="
                + tally.chunksLeft() + ", not indexed=" + tally.chunksUnknown()
                + (tally.filesUnusable() == 0 ? "" : ", files unusable=" + tally.filesUnusable())
                + ", filter blocks read=" + tally.blocksRead() + ", from cache=" + tally.blocksCached()
                + ", cache bytes=" + tally.cacheBytes();
    }

    private ChunkCondition plan(Where expression) {
        if (expression instanceof Where.And and) {
            return and.terms().stream().map(this::plan).reduce(WherePlan::both).orElseThrow();
        }
        if (expression instanceof Where.Or or) {
            // where one term needs no token, the text index can still rule out others
            boolean anyFree = TokenTerms.of(or).equals(TokenCondition.NONE);
            return or.terms().stream()
                    .map(anyFree ? this::planWithText : this::plan)
                    .reduce(WherePlan::either)
                    .orElseThrow();
        }
        if (expression instanceof Where.Not not) {
            ChunkCondition term = plan(not.term());
            return chunk -> term.cover(chunk).not();
        }
        if (expression instanceof Where.Comparison comparison) {
            return compare(comparison.field(), comparison.operator(), List.of(comparison.literal()), expression);
        }
        if (expression instanceof Where.In in) {
            return compare(in.field(), Operator.EQUAL, in.literals(), expression);
        }
        if (expression instanceof Where.NotIn in) {
            return unequal(compare(in.field(), Operator.EQUAL, in.literals(), expression));
        }
        if (expression instanceof Where.Relation) {
            return unknown(expression, "no index over calculations");
        }
        if (expression instanceof Where.Derived) {
            return unknown(expression, "no index over what is made of records");
        }
        return expression instanceof Where.IsNull ? unknown(expression, "no index over nulls") : overText(expression);
    }

    /** The text index tells nothing about single terms: {@link #planWithText} asks it. */
    private ChunkCondition overText(Where expression) {
        if (!terms.uses(QueryIndex.TEXT)) {
            return unknown(expression, "text index: disabled");
        } else if (textUnits().isEmpty()) {
            return unknown(expression, "no index over text");
        }
        return TokenTerms.of(expression).equals(TokenCondition.NONE)
                ? unknown(expression, "text index: no whole word is required")
                : ChunkCondition.UNKNOWN;
    }

    private ChunkCondition unknown(Where expression, String reason) {
        String line = expression + ": " + reason;
        lines.add(() -> line);
        return ChunkCondition.UNKNOWN;
    }

    /** The condition that a field compares in this way with any of the literals. */
    private ChunkCondition compare(String field, Operator operator, List<Literal> literals, Where expression) {
        if (literals.stream().anyMatch(Literal.Text.class::isInstance)) {
            return overText(expression);
        } else if (!terms.uses(QueryIndex.CHUNK)) {
            return unknown(expression, "chunk index: disabled");
        }
        Map<ValueType, List<Index>> byType = new LinkedHashMap<>();
        for (Index index : indexes) {
            if (!index.function().isLambda() && index.function().name().equals(field)) {
                byType.computeIfAbsent(index.function().type(), type -> new ArrayList<>())
                        .add(0, index);
            }
        }
        if (byType.isEmpty()) {
            return unknown(expression, "no index over " + field);
        }
        Field.@Nullable Type type = format == null ? null : format.declaredType(field);
        Function<Map.Entry<ValueType, List<Index>>, ChunkCondition> byIndex =
                entry -> compare(operator, literals, type, entry.getKey(), entry.getValue(), expression);
        return byType.entrySet().stream().map(byIndex).reduce(WherePlan::known).orElseThrow();
    }

    /** Combines what two sources say about the same condition. */
    private static ChunkCondition known(ChunkCondition a, ChunkCondition b) {
        return chunk -> {
            Coverage first = a.cover(chunk);
            return first == Coverage.SOME ? b.cover(chunk) : first;
        };
    }

    private ChunkCondition compare(
            Operator operator,
            List<Literal> literals,
            Field.@Nullable Type fieldType,
            ValueType type,
            List<Index> ofType,
            Where expression) {
        IndexSummaries known = summaries(ofType);
        boolean negated = operator == Operator.NOT_EQUAL && literals.get(0) instanceof Literal.Numeric;
        List<LiteralKeys> keys = literals.stream()
                .map(literal -> LiteralKeys.of(literal, negated ? Operator.EQUAL : operator, fieldType, type))
                .toList();
        lines.add(() -> expression + ": " + describe(ofType, known));
        ChunkCondition condition = new KeyCondition(
                known,
                KeyRanges.of(keys.stream().map(LiteralKeys::possible).toList()),
                KeyRanges.of(keys.stream().map(LiteralKeys::certain).toList()));
        return negated ? unequal(condition) : condition;
    }

    /** NaN differs from any number, and no index holds it. */
    private static ChunkCondition unequal(ChunkCondition equal) {
        return chunk -> equal.cover(chunk) == Coverage.ALL ? Coverage.NONE : Coverage.SOME;
    }

    /** Which indexes are used, and for how many chunks. */
    public static String describe(List<Index> used, IndexSummaries summaries) {
        return used.stream()
                .map(index -> "index " + index.name() + " #" + index.id() + (index.closed() ? " (closed)" : ""))
                .collect(Collectors.joining(
                        ", ",
                        "",
                        ", chunks covered=" + summaries.covered() + ", not covered=" + summaries.uncovered()
                                + (summaries.damaged() == 0 ? "" : ", bins damaged=" + summaries.damaged())));
    }
}
