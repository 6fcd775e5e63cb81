package dev.loom.bench.replay;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Questions in SQL, over a table for each source that has the fields of its records as columns. */
final class SqlQuestions {
    private static final List<String> SIGNED = List.of("i32", "i64");

    private SqlQuestions() {}

    /** A column, and the type of the field. */
    record Column(String name, String type) {}

    /** The columns of a kind of records. */
    static List<Column> columns(RecordKind kind) {
        return Stream.of(kind.format().substring(kind.format().indexOf(':') + 1).split(",", -1))
                .map(field ->
                        new Column(field.substring(0, field.indexOf(':')), field.substring(field.indexOf(':') + 1)))
                .toList();
    }

    /** The columns with SQL's types: those of DuckDB. */
    static String duckDbColumns(RecordKind kind) {
        return columns(kind).stream()
                .map(column -> column.name() + " "
                        + switch (column.type()) {
                            case "i64" -> "BIGINT";
                            case "i32" -> "INTEGER";
                            case "u32" -> "UINTEGER";
                            case "u16" -> "USMALLINT";
                            default -> "BLOB";
                        })
                .collect(Collectors.joining(", "));
    }

    /** Whether a field is signed. */
    static boolean isSigned(Column column) {
        return SIGNED.contains(column.type());
    }

    /** The condition for the window, and the call. */
    static String where(ReplayQuestion question) {
        return " FROM " + question.source().text() + " WHERE ts_ns >= " + question.fromNs() + " AND ts_ns < "
                + question.toNs() + (question.call() == SystemCalls.ANY ? "" : " AND call = " + question.call());
    }

    /** The questions, except those about the tail. */
    static String of(ReplayQuestion question) {
        final String where = where(question);
        return switch (question.form()) {
            case MAX -> "SELECT max(latency_ns)" + where;
            case COUNT -> "SELECT count(*)" + where;
            case LARGEST -> "SELECT number, latency_ns" + where + " ORDER BY latency_ns DESC, number DESC LIMIT 1";
            case DUMP -> "SELECT *" + where;
            case PLANTED -> "SELECT number" + where + " AND latency_ns >= " + ReplayQuestion.plantedLatencyNs();
            case MANGLED ->
                "SELECT number" + where + " AND sport <> " + RecordStream.REDIS_PORT + " AND dport <> "
                        + RecordStream.REDIS_PORT;
            case TAIL, ABOVE_TAIL ->
                throw new IllegalArgumentException("question needs a percentile: form=" + question.form());
        };
    }

    /** The records above the percentile. */
    static String above(ReplayQuestion question, long latencyNs) {
        return "SELECT number" + where(question) + " AND latency_ns > " + latencyNs;
    }
}
