package dev.loom.server.mcp;

import static dev.loom.server.mcp.ToolParameter.flag;
import static dev.loom.server.mcp.ToolParameter.number;
import static dev.loom.server.mcp.ToolParameter.text;
import static dev.loom.server.mcp.ToolParameter.texts;
import static dev.loom.server.mcp.ToolParameter.word;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tools: the one table of what assistants may ask. */
final class Tools {
    /** How many rows an answer has if the client does not say. */
    static final String ROWS = "20";

    /** How long a query takes at most if the client does not say; the server's own limit holds besides. */
    private static final String TIMEOUT = "20s";

    /** The most spans and log records of a trace. */
    private static final String RECORDS_MAX = "2000";

    /** What an assistant should know before it begins. */
    static final String INSTRUCTIONS = """
            Loom holds all telemetry of a host: logs, spans, metrics, requests, system calls, packets. \
            Begin with `sources`, then `fields` of a source. Counts and percentiles (`agg`, `hist`) are exact and cheap; \
            look at them before records (`scan`, `search`, `top`). To explain slow records: `top` or `agg` with \
            percentile, then `diff` (what differs about them) and `correlate` (what happened meanwhile in another source). \
            Spans: `traces` finds traces, `trace` shows one. \
            Conditions (`where`) are such as: latency_ns > 50ms and op == "GET"; status in (500, 503); \
            path contains "/cart"; name =~ "^GET"; user is not null. Times are RFC 3339, epochs or now-5m; \
            durations 250us, 1h30m. Each answer ends with `end`: if `complete` is false or `lost` is not 0, say so.""";

    private static final ToolParameter SOURCE =
            text("source", "The source, by the name that `sources` lists.").asRequired();
    private static final ToolParameter FIELD = text("field", "A numeric field.");
    private static final ToolParameter WHERE = texts(
            "where",
            "Conditions that must all hold, such as: latency_ns > 50ms and op == \"GET\". Operators: == != < <= > >= in"
                    + " between contains icontains matches =~ is null and or not.");
    private static final ToolParameter SINCE =
            text("since", "How far back from now the range begins, such as 15m. Not with from.");
    private static final ToolParameter FROM =
            text("from", "The begin of the range: RFC 3339 such as 2026-11-21T02:46:33Z, an epoch, or now-5m.");
    private static final ToolParameter TO = text("to", "The end of the range, exclusive, as from.");
    private static final ToolParameter TIME = word(
            "time",
            List.of("arrival", "event"),
            "Whether times are those of arrival, or those that records carry themselves.");
    private static final ToolParameter LIMIT = number("limit", "The most rows, by default " + ROWS + ". 0 is none.");
    private static final ToolParameter FIELDS = texts("fields", "The fields of each record to show; by default all.");
    private static final ToolParameter ASCENDING = flag("asc", "Oldest first.");
    private static final ToolParameter STEP = text("step", "How long each step of time is, such as 1m.");
    private static final ToolParameter LIMIT_OF_TIME =
            text("timeout", "How long the query may take, by default " + TIMEOUT + ".");
    private static final ToolParameter SOURCES =
            texts("source", "Where to look; by default all sources that may have spans.");

    private static final List<Tool> ALL = List.of(
            lookup(
                    "sources",
                    "Lists the sources of records: name, format, how many records and bytes, first and last time.",
                    text("name", "A prefix of the sources' names, such as otlp.logs; by default all.")),
            lookup(
                    "fields",
                    "Lists a source's fields with types, units and indexes: those declared, and those met in its newest"
                            + " records.",
                    SOURCE),
            query("scan", "Shows records of a source, newest first.", SOURCE, LIMIT, FIELDS, ASCENDING),
            query(
                    "search",
                    "Finds records by the words of their text, newest first; with count, how many in steps of time.",
                    SOURCE,
                    text("query", "Words, \"phrases\", beginnings such as refus*, AND, OR, NOT, parentheses.")
                            .asRequired(),
                    text("field", "The text field, if not the source's own."),
                    LIMIT,
                    FIELDS,
                    ASCENDING,
                    flag("count", "Count in steps of time instead."),
                    STEP),
            query(
                    "agg",
                    "Counts records or sums up a numeric field: count, sum, min, max, mean and exact percentiles; in"
                            + " all, by groups, in steps of time.",
                    SOURCE,
                    FIELD,
                    texts("percentile", "Percentiles, such as 50, 99.9."),
                    texts("by", "Fields to group by, such as service.name."),
                    STEP,
                    text("distinct", "A field whose different values are counted."),
                    text(
                            "order",
                            "Order of groups: count, sum, min, max, mean, p99, distinct, key; -count for descending."),
                    LIMIT),
            query(
                    "values",
                    "Lists a field's values with their counts, the most frequent first.",
                    SOURCE,
                    text("field", "Any field.").asRequired(),
                    LIMIT,
                    word("rest", List.of("other"), "Counts values beyond the cap as other.")),
            query(
                    "hist",
                    "Counts a numeric field's values by size, by time, or both.",
                    SOURCE,
                    FIELD,
                    texts("by", "value, time or both; by default value."),
                    STEP),
            query(
                    "top",
                    "Shows the records with the largest values of a numeric field.",
                    SOURCE,
                    FIELD.asRequired(),
                    number("n", "How many, by default 10."),
                    flag("asc", "The smallest instead."),
                    FIELDS),
            query(
                    "correlate",
                    "Shows the records of another source around, or during, the outliers of a field. Give one of"
                            + " within, before, after and overlap.",
                    SOURCE,
                    FIELD.asRequired(),
                    text("above", "What an outlier is: above a value such as 50ms, or a percentile such as p99.9.")
                            .asRequired(),
                    text("with", "The other source.").asRequired(),
                    texts("with-where", "Conditions on the other source's records, as where."),
                    text("within", "How far around an outlier, such as 5ms."),
                    text("before", "How far before it."),
                    text("after", "How far after it."),
                    texts("overlap", "Two fields with the durations of both sides: records that overlap in time."),
                    LIMIT,
                    flag("distinct", "Each record once, not once for each outlier."),
                    FIELDS),
            query(
                    "diff",
                    "Finds what differs about chosen records: values, ranges and combinations more frequent among them"
                            + " than among the others. Choose by where, or by field with above, or low and high.",
                    SOURCE,
                    FIELD,
                    text("above", "Chooses records above a value such as 50ms, or a percentile such as p99."),
                    text("low", "Chooses records whose field is at least this."),
                    text("high", "Chooses records whose field is below this."),
                    text("selected-from", "Chooses records from this time on."),
                    text("selected-to", "Chooses records before this time."),
                    texts("against", "Conditions of the others; by default all that are not chosen."),
                    texts("fields", "The fields to compare; by default all."),
                    number("limit", "The most findings, by default 10.")),
            query(
                    "traces",
                    "Finds traces with a span that meets all conditions, those with the newest such span first.",
                    List.of(SOURCES),
                    text("service", "The span's service."),
                    text("name", "The span's name."),
                    text("min-duration", "The least duration of the span, such as 100ms."),
                    text("max-duration", "Its greatest duration."),
                    flag("error", "Only spans whose status is an error."),
                    texts("attribute", "Attributes of the span or its resource, such as http.route=/cart."),
                    number("limit", "The most traces, by default " + ROWS + ".")),
            query(
                    "trace",
                    "Shows a trace as a waterfall: spans under their parents with durations and self times, and log"
                            + " records between them.",
                    List.of(SOURCES),
                    text("trace_id", "The trace's id: 32 hexadecimal digits.").asRequired(),
                    flag("no-logs", "Without log records."),
                    number("records-max", "The most spans and log records, by default " + RECORDS_MAX + ".")),
            query("metrics", "Lists the metrics of a source, such as otlp.metrics.", SOURCE),
            query(
                    "series",
                    "Shows a metric over time: last values, increases, rates and percentiles, by group and step.",
                    SOURCE,
                    text("name", "The metric's name.").asRequired(),
                    texts("by", "Attributes to group by."),
                    STEP,
                    texts("fn", "Functions: last, increase, rate, or percentiles of histograms such as p99.")));

    private Tools() {}

    private static Tool lookup(String name, String description, ToolParameter... parameters) {
        return new Tool(name, description, List.of(parameters), Map.of());
    }

    private static Tool query(String name, String description, ToolParameter source, ToolParameter... parameters) {
        return query(name, description, List.of(source), parameters);
    }

    private static Tool query(String name, String description, List<ToolParameter> first, ToolParameter... parameters) {
        List<ToolParameter> all = new ArrayList<>(first);
        all.addAll(Arrays.asList(parameters));
        if (!name.equals("trace")) {
            all.add(WHERE);
        }
        all.addAll(List.of(SINCE, FROM, TO, TIME, LIMIT_OF_TIME));
        return new Tool(name, description, List.copyOf(all), defaults(name));
    }

    private static Map<String, Object> defaults(String name) {
        return switch (name) {
            case "trace" -> Map.of("timeout", TIMEOUT, "rows", true, "records-max", RECORDS_MAX);
            case "scan", "search", "values", "correlate", "traces" -> Map.of("timeout", TIMEOUT, "limit", ROWS);
            default -> Map.of("timeout", TIMEOUT);
        };
    }

    /** All tools. */
    static List<Tool> all() {
        return ALL;
    }

    /** The tool of a name; null if there is none. */
    static @Nullable Tool find(String name) {
        return ALL.stream().filter(tool -> tool.name().equals(name)).findFirst().orElse(null);
    }
}
