package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/**
 * A DuckDB database in this process, filled by an appender for each table. What one holds back is flushed each second, or when it has as many
 * records as a row group. Questions have connections of their own, which see what was flushed.
 */
final class DuckDbSink implements Sink {
    private static final String FILE = "replay.duckdb";
    private static final String CHECKPOINT_THRESHOLD = "1GB";
    private static final long FLUSH_NS = 1_000_000_000;
    private static final int FLUSH_RECORDS = 122_880;
    private static final int NUMBER_COLUMN = 2;

    private final DuckDBConnection connection;
    private final Map<ReplaySource, Table> tables = new EnumMap<>(ReplaySource.class);
    private volatile long visibleNs;

    DuckDbSink(SinkSettings settings) throws SQLException {
        final Path file = settings.directory().resolve(FILE);
        connection = DriverManager.getConnection("jdbc:duckdb:" + file).unwrap(DuckDBConnection.class);
        execute("SET checkpoint_threshold = '" + CHECKPOINT_THRESHOLD + "'");
        for (final ReplaySource source :
                settings.plan().workload().sources(settings.plan().phase())) {
            execute("CREATE TABLE " + source.text() + "(" + SqlQuestions.duckDbColumns(source.kind()) + ")");
        }
    }

    /** An appender, which belongs to the thread that makes it. */
    private static final class Table {
        private final DuckDBAppender appender;
        private int records;

        private Table(DuckDBAppender appender) {
            this.appender = appender;
        }

        private void flush() throws SQLException {
            appender.flush();
            records = 0;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public String description() throws SQLException {
        return "DuckDB " + connection.getMetaData().getDatabaseProductVersion()
                + ", a table for each source in the order of arrival, its appender flushed each " + FLUSH_NS / 1_000_000
                + " ms or " + FLUSH_RECORDS + " records, checkpoint_threshold " + CHECKPOINT_THRESHOLD
                + ", all other settings as they come";
    }

    @Override
    public void write(BatchSection section) throws SQLException {
        Table table = tables.get(section.source());
        if (table == null) {
            table = new Table(connection.createAppender(
                    DuckDBConnection.DEFAULT_SCHEMA, section.source().text()));
            tables.put(section.source(), table);
        }
        int offset = section.offset();
        for (int i = 0; i < section.records(); i++) {
            append(table.appender, section.source().kind(), section.buffer(), offset);
            offset += section.lengths()[i];
        }
        table.records += section.records();
    }

    private static void append(DuckDBAppender appender, RecordKind kind, DirectBuffer buffer, int offset)
            throws SQLException {
        appender.beginRow();
        appender.append(buffer.getLong(offset + RecordKind.TIME_OFFSET, LITTLE_ENDIAN));
        appender.append(buffer.getLong(offset + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN));
        switch (kind) {
            case REQUEST, CALL -> {
                appender.append(buffer.getLong(offset + RecordKind.LATENCY_OFFSET, LITTLE_ENDIAN));
                appender.append(buffer.getLong(offset + RecordKind.KEY_OFFSET, LITTLE_ENDIAN));
                appender.append(buffer.getInt(offset + RecordKind.OP_OFFSET, LITTLE_ENDIAN));
                appender.append(buffer.getInt(offset + RecordKind.THREAD_OFFSET, LITTLE_ENDIAN));
                appender.append(buffer.getLong(offset + RecordKind.BYTES_OFFSET, LITTLE_ENDIAN));
            }
            case PACKET -> {
                for (int at = RecordKind.SRC_OFFSET; at < RecordKind.SPORT_OFFSET; at += Integer.BYTES) {
                    appender.append(buffer.getInt(offset + at, LITTLE_ENDIAN));
                }
                for (int at = RecordKind.SPORT_OFFSET; at < RecordKind.DATA_LENGTH_OFFSET; at += Short.BYTES) {
                    appender.append(buffer.getShort(offset + at, LITTLE_ENDIAN));
                }
                final byte[] data = new byte[buffer.getByte(offset + RecordKind.DATA_LENGTH_OFFSET)];
                buffer.getBytes(offset + RecordKind.DATA_OFFSET, data);
                appender.append(data);
            }
            case CACHE_EVENT -> {
                for (int at = RecordKind.INODE_OFFSET; at < RecordKind.KIND_OFFSET; at += Long.BYTES) {
                    appender.append(buffer.getLong(offset + at, LITTLE_ENDIAN));
                }
                for (int at = RecordKind.KIND_OFFSET; at < kind.lengthMax(); at += Integer.BYTES) {
                    appender.append(buffer.getInt(offset + at, LITTLE_ENDIAN));
                }
            }
        }
        appender.endRow();
    }

    @Override
    public void endBatch(long endNs) throws SQLException {
        final boolean due = endNs - visibleNs >= FLUSH_NS;
        for (final Table table : tables.values()) {
            if (due || table.records >= FLUSH_RECORDS) {
                table.flush();
            }
        }
        if (due) {
            visibleNs = endNs;
        }
    }

    @Override
    public void finish() throws SQLException {
        for (final Table table : tables.values()) {
            table.appender.close();
        }
    }

    @Override
    public long visibleNs() {
        return visibleNs;
    }

    @Override
    public ReplayAnswer ask(ReplayQuestion question) throws SQLException {
        try (Connection asking = connection.duplicate();
                Statement statement = asking.createStatement()) {
            return switch (question.form()) {
                case TAIL -> ReplayAnswer.ofValue(tail(statement, question));
                case ABOVE_TAIL -> {
                    final long tail = tail(statement, question);
                    yield found(statement, SqlQuestions.above(question, tail), 1)
                            .answer(tail);
                }
                case MAX -> ReplayAnswer.ofValue(number(statement, SqlQuestions.of(question)));
                case COUNT -> ReplayAnswer.ofCount(number(statement, SqlQuestions.of(question)));
                case LARGEST -> largest(statement, SqlQuestions.of(question));
                case DUMP ->
                    found(statement, SqlQuestions.of(question), NUMBER_COLUMN).counted();
                case PLANTED, MANGLED ->
                    found(statement, SqlQuestions.of(question), 1).answer(0);
            };
        }
    }

    /** By the rank from above: DuckDB keeps these alone, if their number is a constant. Of a million records its percentile takes twice as long. */
    private static long tail(Statement statement, ReplayQuestion question) throws SQLException {
        final String where = SqlQuestions.where(question);
        final long count = number(statement, "SELECT count(*)" + where);
        return number(
                statement,
                "SELECT latency_ns" + where + " ORDER BY latency_ns DESC LIMIT 1 OFFSET "
                        + (count - ReplayQuestion.tailRank(count)));
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet result = statement.executeQuery(sql)) {
            return result.next() ? result.getLong(1) : 0;
        }
    }

    private static ReplayAnswer largest(Statement statement, String sql) throws SQLException {
        final AnswerBuilder found = new AnswerBuilder();
        long latencyNs = 0;
        try (ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                found.add(result.getLong(1));
                latencyNs = result.getLong(2);
            }
        }
        return found.answer(latencyNs);
    }

    /** Reads all columns, as whoever wants the records would. */
    private static AnswerBuilder found(Statement statement, String sql, int numberColumn) throws SQLException {
        final AnswerBuilder found = new AnswerBuilder();
        try (ResultSet result = statement.executeQuery(sql)) {
            final int columns = result.getMetaData().getColumnCount();
            @Nullable Object cell = null;
            while (result.next()) {
                for (int column = 1; column <= columns; column++) {
                    if (column == numberColumn) {
                        found.add(result.getLong(column));
                    } else {
                        cell = result.getObject(column);
                    }
                }
            }
            if (columns > 1 && found.counted().count() > 0 && cell == null) {
                throw new IllegalStateException("cell has no value: query=" + sql);
            }
        }
        return found;
    }

    @Override
    public void settle() throws SQLException {
        execute("CHECKPOINT");
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
