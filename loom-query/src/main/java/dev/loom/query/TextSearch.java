package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.text.TextQuery;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.where.Where;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of one source whose text matches a {@link TextQuery}, newest first (ESTELLE, section 4). Reads only what the text index does
 * not rule out, by filters and by row numbers, and what the time range and other conditions' indexes leave; ends once it has as many as
 * wanted. The answer is the same as without an index. Constant memory: 1 MiB, the text index's group of units that is open, at most 1 MiB,
 * and the longest jumbo payload met. Each {@link #open()} or {@link #forEach} is a new search. Not thread-safe.
 */
public final class TextSearch extends Query<TextSearch> {
    /** The attribute of a source that names the field which is its text; without it, the format's is. */
    public static final String FIELD_ATTRIBUTE = "text.field";

    private final Snapshot snapshot;
    private final int sourceId;
    private Order order = Order.NEWEST_FIRST;
    private long limit = Long.MAX_VALUE;

    private TextSearch(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
        this.snapshot = snapshot;
        this.sourceId = sourceId;
    }

    /**
     * Searches the source's text.
     *
     * @throws QuerySyntaxException if the query is malformed
     * @throws IllegalArgumentException if the source has no text, see {@link #field}
     */
    public static TextSearch of(Snapshot snapshot, Source source, String query) {
        String field = field(source);
        if (field == null) {
            throw new IllegalArgumentException("source has no text field: source=" + source.name() + ", format="
                    + source.format().text());
        }
        return of(snapshot, source, field, query);
    }

    /**
     * Searches a field.
     *
     * @throws QuerySyntaxException if the query is malformed
     * @throws IllegalArgumentException if the source's format has no such field
     */
    public static TextSearch of(Snapshot snapshot, Source source, String field, String query) {
        return new TextSearch(snapshot, source.id()).and(field, query);
    }

    /** The field that is a source's text: that of its attribute, or else its format's; null if there is none. */
    public static @Nullable String field(Source source) {
        String named = source.attributes().get(FIELD_ATTRIBUTE);
        return named == null ? source.format().textField() : named;
    }

    @Override
    TextSearch self() {
        return this;
    }

    /**
     * Requires that another field matches too. For {@code OR} between fields, use {@link #where}.
     *
     * @throws QuerySyntaxException if the query is malformed
     * @throws IllegalArgumentException if the source's format has no such field
     */
    public TextSearch and(String field, String query) {
        return where(new Where.Matches(field, TextQuery.parse(query)));
    }

    /** Default newest first, by arrival. */
    public TextSearch order(Order direction) {
        order = Objects.requireNonNull(direction);
        return this;
    }

    /**
     * Limits the search to this number of records; default all.
     *
     * @throws IllegalArgumentException if negative
     */
    public TextSearch limit(long records) {
        if (records < 0) {
            throw new IllegalArgumentException("limit is negative: limit=" + records);
        }
        limit = records;
        return this;
    }

    /** Starts the search. */
    public QueryCursor open() {
        return QueryScope.open(
                terms(), scope -> new ScanCursor(scope, scope.walk(order, ChunkDecider.READ_ALL), null, limit));
    }

    /**
     * Calls the handler for each record.
     *
     * @return what the answer lacks
     */
    public Completeness forEach(QueryCursor.RecordHandler handler) {
        try (QueryCursor cursor = open()) {
            return cursor.forEach(handler);
        }
    }

    /** A count of what matches as this search is set up now, whatever its limit: first estimates, then the exact number. */
    public ProgressiveCount progressive() {
        return copyTo(ProgressiveCount.of(snapshot, sourceId));
    }
}
