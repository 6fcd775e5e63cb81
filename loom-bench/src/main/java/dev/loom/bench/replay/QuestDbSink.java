package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.questdb.ServerMain;
import io.questdb.cairo.CairoEngine;
import io.questdb.cairo.TableWriter;
import io.questdb.cairo.security.AllowAllSecurityContext;
import io.questdb.cairo.sql.Record;
import io.questdb.cairo.sql.RecordCursor;
import io.questdb.cairo.sql.RecordCursorFactory;
import io.questdb.griffin.SqlException;
import io.questdb.griffin.SqlExecutionContext;
import io.questdb.griffin.SqlExecutionContextImpl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A QuestDB server in this process, without its ports: a table for each source, ordered by time, which a writer in the same process fills
 * without a write-ahead log. Questions are asked of its engine, which shares them among its workers.
 */
final class QuestDbSink implements Sink {
    private static final long COMMIT_NS = 250_000_000;
    private static final int COMMIT_RECORDS = 100_000;
    private static final long UNSIGNED_INT = 0xFFFFFFFFL;
    private static final int UNSIGNED_SHORT = 0xFFFF;
    private static final String FOLDER = "questdb";
    private static final String CONFIGURATION = """
            config.validation.strict=true
            http.enabled=false
            http.min.enabled=false
            pg.enabled=false
            line.tcp.enabled=false
            telemetry.enabled=false
            """;
    private static final String LOGGING = """
            writers=file
            w.file.class=io.questdb.log.LogFileWriter
            w.file.location=%s
            w.file.level=ERROR,CRITICAL
            """;

    private final ServerMain server;
    private final CairoEngine engine;
    private final Map<ReplaySource, @Nullable TableWriter> writers = new EnumMap<>(ReplaySource.class);
    private long committedNs;
    private int records;
    private volatile long visibleNs;

    QuestDbSink(SinkSettings settings) throws IOException, SqlException {
        final Path root =
                Files.createDirectory(settings.directory().resolve(FOLDER)).toAbsolutePath();
        final Path configuration = Files.createDirectory(root.resolve("conf"));
        Files.writeString(configuration.resolve("server.conf"), CONFIGURATION);
        final Path logging = Files.writeString(
                configuration.resolve("log.conf"),
                LOGGING.formatted(settings.directory().resolveSibling("questdb.log")));
        System.setProperty("out", logging.toString());
        server = new ServerMain("-d", root.toString());
        try {
            server.start();
            engine = server.getEngine();
            for (final ReplaySource source :
                    settings.plan().workload().sources(settings.plan().phase())) {
                engine.execute("CREATE TABLE " + source.text() + "(" + columns(source.kind())
                        + ") TIMESTAMP(ts_ns) PARTITION BY HOUR BYPASS WAL");
                writers.put(source, null);
            }
        } catch (SqlException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static String columns(RecordKind kind) {
        return SqlQuestions.columns(kind).stream()
                .map(column -> column.name() + " "
                        + switch (column.type()) {
                            case "i64" -> column.name().equals("ts_ns") ? "TIMESTAMP_NS" : "LONG";
                            case "i32", "u16" -> "INT";
                            case "u32" -> "LONG";
                            default -> "BINARY";
                        })
                .collect(Collectors.joining(", "));
    }

    @Override
    public String description() {
        return "QuestDB " + engine.getConfiguration().getBuildInformation().getSwVersion()
                + ", a table for each source ordered by time, partitions of an hour, no write-ahead log, committed each "
                + COMMIT_NS / 1_000_000 + " ms or " + COMMIT_RECORDS + " records, all other settings as they come";
    }

    @Override
    public void write(BatchSection section) {
        TableWriter writer = writers.get(section.source());
        if (writer == null) { // it belongs to the thread that gets it
            writer = engine.getWriter(engine.verifyTableName(section.source().text()), "replay");
            writers.put(section.source(), writer);
        }
        int offset = section.offset();
        for (int i = 0; i < section.records(); i++) {
            append(writer, section.source().kind(), section.buffer(), offset);
            offset += section.lengths()[i];
        }
        records += section.records();
    }

    private static void append(TableWriter writer, RecordKind kind, DirectBuffer buffer, int offset) {
        final TableWriter.Row row = writer.newRow(buffer.getLong(offset + RecordKind.TIME_OFFSET, LITTLE_ENDIAN));
        int column = 1;
        row.putLong(column++, buffer.getLong(offset + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN));
        switch (kind) {
            case REQUEST, CALL -> {
                row.putLong(column++, buffer.getLong(offset + RecordKind.LATENCY_OFFSET, LITTLE_ENDIAN));
                row.putLong(column++, buffer.getLong(offset + RecordKind.KEY_OFFSET, LITTLE_ENDIAN));
                row.putInt(column++, buffer.getInt(offset + RecordKind.OP_OFFSET, LITTLE_ENDIAN));
                row.putInt(column++, buffer.getInt(offset + RecordKind.THREAD_OFFSET, LITTLE_ENDIAN));
                row.putLong(column, buffer.getLong(offset + RecordKind.BYTES_OFFSET, LITTLE_ENDIAN));
            }
            case PACKET -> {
                for (int at = RecordKind.SRC_OFFSET; at < RecordKind.SPORT_OFFSET; at += Integer.BYTES) {
                    row.putLong(column++, buffer.getInt(offset + at, LITTLE_ENDIAN) & UNSIGNED_INT);
                }
                for (int at = RecordKind.SPORT_OFFSET; at < RecordKind.DATA_LENGTH_OFFSET; at += Short.BYTES) {
                    row.putInt(column++, buffer.getShort(offset + at, LITTLE_ENDIAN) & UNSIGNED_SHORT);
                }
                row.putBin(
                        column,
                        buffer.addressOffset() + offset + RecordKind.DATA_OFFSET,
                        buffer.getByte(offset + RecordKind.DATA_LENGTH_OFFSET));
            }
            case CACHE_EVENT -> {
                for (int at = RecordKind.INODE_OFFSET; at < RecordKind.KIND_OFFSET; at += Long.BYTES) {
                    row.putLong(column++, buffer.getLong(offset + at, LITTLE_ENDIAN));
                }
                for (int at = RecordKind.KIND_OFFSET; at < kind.lengthMax(); at += Integer.BYTES) {
                    row.putInt(column++, buffer.getInt(offset + at, LITTLE_ENDIAN));
                }
            }
        }
        row.append();
    }

    @Override
    public void endBatch(long endNs) {
        if (endNs - committedNs >= COMMIT_NS || records >= COMMIT_RECORDS) {
            for (final TableWriter writer : writers.values()) {
                if (writer != null) {
                    writer.commit();
                }
            }
            committedNs = endNs;
            visibleNs = endNs;
            records = 0;
        }
    }

    @Override
    public void finish() {
        for (final TableWriter writer : writers.values()) {
            if (writer != null) {
                writer.commit();
                writer.close();
            }
        }
    }

    @Override
    public long visibleNs() {
        return visibleNs;
    }

    /** Takes the rows of an answer. */
    @FunctionalInterface
    private interface RowHandler {
        void onRow(Record row);
    }

    private void query(String sql, RowHandler handler) throws SqlException {
        final SqlExecutionContext context = new SqlExecutionContextImpl(
                        engine, Runtime.getRuntime().availableProcessors())
                .with(AllowAllSecurityContext.INSTANCE);
        try (RecordCursorFactory factory = engine.select(sql, context);
                RecordCursor rows = factory.getCursor(context)) {
            while (rows.hasNext()) {
                handler.onRow(rows.getRecord());
            }
        }
    }

    private long number(String sql) throws SqlException {
        final long[] number = {0};
        query(sql, row -> number[0] = row.getLong(0));
        return number[0];
    }

    private AnswerBuilder numbers(String sql) throws SqlException {
        final AnswerBuilder found = new AnswerBuilder();
        query(sql, row -> found.add(row.getLong(0)));
        return found;
    }

    @Override
    public ReplayAnswer ask(ReplayQuestion question) throws SqlException {
        return switch (question.form()) {
            case TAIL -> ReplayAnswer.ofValue(tail(question));
            case ABOVE_TAIL -> {
                final long tail = tail(question);
                yield numbers(SqlQuestions.above(question, tail)).answer(tail);
            }
            case MAX -> ReplayAnswer.ofValue(number(SqlQuestions.of(question)));
            case COUNT -> ReplayAnswer.ofCount(number(SqlQuestions.of(question)));
            case LARGEST -> {
                final AnswerBuilder found = new AnswerBuilder();
                final long[] latencyNs = {0};
                query(SqlQuestions.of(question), row -> {
                    found.add(row.getLong(0));
                    latencyNs[0] = row.getLong(1);
                });
                yield found.answer(latencyNs[0]);
            }
            case DUMP -> dump(question);
            case PLANTED, MANGLED -> numbers(SqlQuestions.of(question)).answer(0);
        };
    }

    /** Its percentiles are approximate, so by the rank from above. */
    private long tail(ReplayQuestion question) throws SqlException {
        final String where = SqlQuestions.where(question);
        final long count = number("SELECT count(*)" + where);
        final long above = count - ReplayQuestion.tailRank(count);
        return count == 0
                ? 0
                : number("SELECT latency_ns" + where + " ORDER BY latency_ns DESC LIMIT " + above + ", " + (above + 1));
    }

    /** Reads all columns, as whoever wants the records would. */
    private ReplayAnswer dump(ReplayQuestion question) throws SqlException {
        final List<SqlQuestions.Column> columns =
                SqlQuestions.columns(question.source().kind());
        final AnswerBuilder found = new AnswerBuilder();
        final long[] read = {0};
        query(SqlQuestions.of(question), row -> {
            for (int column = 0; column < columns.size(); column++) {
                read[0] += switch (columns.get(column).type()) {
                    case "i64", "u32" -> row.getLong(column);
                    case "i32", "u16" -> row.getInt(column);
                    default -> row.getBinLen(column);
                };
            }
            found.add(row.getLong(1));
        });
        if (found.counted().count() > 0 && read[0] == 0) {
            throw new IllegalStateException("columns have no values: question=" + question);
        }
        return found.counted();
    }

    /** A commit is in the mapped files, and without a write-ahead log nothing works in the background. */
    @Override
    public void settle() {}

    @Override
    public void close() {
        server.close();
    }
}
