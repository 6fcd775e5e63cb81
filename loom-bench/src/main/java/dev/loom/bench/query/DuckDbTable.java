package dev.loom.bench.query;

import dev.loom.bench.scan.PageCache;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** A DuckDB database file with the system calls of a simulated capture in table {@code calls}. For one thread. */
public final class DuckDbTable implements AutoCloseable {
    private final Path directory;
    private final Path file;
    private Connection connection;

    /** Writes the table below {@code directory} and loads it into the database file. */
    public DuckDbTable(Path directory, SimulatedCapture telemetry) throws SQLException {
        this.directory = directory;
        this.file = directory.resolve("calls.duckdb");
        connection = connect(file);
        execute("CREATE TABLE calls(ts_ns BIGINT, latency_ns BIGINT, thread BIGINT, call BIGINT, bytes BIGINT,"
                + " number BIGINT)");
        try (DuckDBAppender appender =
                connection.unwrap(DuckDBConnection.class).createAppender(DuckDBConnection.DEFAULT_SCHEMA, "calls")) {
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

    private static Connection connect(Path file) throws SQLException {
        return DriverManager.getConnection("jdbc:duckdb:" + file);
    }

    /** Sets how many threads a query may use. */
    public void threads(int count) throws SQLException {
        execute("SET threads = " + count);
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a query with integer results, and returns them row by row. */
    public List<BigInteger> query(String sql) throws SQLException {
        final List<BigInteger> values = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            final int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                for (int column = 1; column <= columns; column++) {
                    values.add(result.getBigDecimal(column).toBigIntegerExact());
                }
            }
        }
        return values;
    }

    /** Drops the database from the page cache and from DuckDB's own memory. */
    public void chill() throws SQLException {
        connection.close();
        PageCache.drop(directory);
        connection = connect(file);
    }

    /** Version of the library. */
    public String version() throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
