package dev.loom.bench.query;

import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;

/** A DuckDB database file with the system calls of a simulated capture in table {@code calls}. For one thread. */
public final class DuckDbTable extends DuckDbFile {
    /** Writes the table below {@code directory} and loads it into the database file. */
    public DuckDbTable(Path directory, SimulatedCapture telemetry) throws SQLException {
        super(directory);
        execute("CREATE TABLE calls(ts_ns BIGINT, latency_ns BIGINT, thread BIGINT, call BIGINT, bytes BIGINT,"
                + " number BIGINT)");
        try (DuckDBAppender appender = appender("calls")) {
            for (long number = 0; number < telemetry.records(); number++) {
                if (!telemetry.isRequest(number)) {
                    appender.beginRow();
                    for (int column = 0; column < SimulatedCapture.COLUMNS; column++) {
                        appender.append(telemetry.value(number, column));
                    }
                    appender.endRow();
                }
            }
        }
        execute("CHECKPOINT");
    }

    /** Runs a query with integer results, and returns them row by row. */
    public List<BigInteger> query(String sql) throws SQLException {
        final List<BigInteger> values = new ArrayList<>();
        query(sql, (result, column) -> values.add(result.getBigDecimal(column).toBigIntegerExact()));
        return values;
    }
}
