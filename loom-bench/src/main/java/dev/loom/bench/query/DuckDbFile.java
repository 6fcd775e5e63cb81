package dev.loom.bench.query;

import dev.loom.bench.scan.PageCache;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.duckdb.DuckDBAppender;
import org.duckdb.DuckDBConnection;

/** A DuckDB database file. For one thread. */
public class DuckDbFile implements AutoCloseable {
    /** The name of the file. */
    protected static final String FILE = "bench.duckdb";

    private final Path directory;
    private Connection connection;

    /** Takes one cell of a result. */
    @FunctionalInterface
    protected interface CellHandler {
        void onCell(ResultSet result, int column) throws SQLException;
    }

    /** Opens the file below {@code directory}, which has nothing else; creates it if it is missing. */
    protected DuckDbFile(Path directory) throws SQLException {
        this.directory = directory;
        connection = connect();
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:duckdb:" + directory.resolve(FILE));
    }

    /** Appends rows to a table. */
    protected final DuckDBAppender appender(String table) throws SQLException {
        return connection.unwrap(DuckDBConnection.class).createAppender(DuckDBConnection.DEFAULT_SCHEMA, table);
    }

    /** Sets how many threads a query may use. */
    public final void threads(int count) throws SQLException {
        execute("SET threads = " + count);
    }

    /** Runs a statement without a result. */
    protected final void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a query, and hands over its cells, row by row; columns count from 1. */
    protected final void query(String sql, CellHandler handler) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            final int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                for (int column = 1; column <= columns; column++) {
                    handler.onCell(result, column);
                }
            }
        }
    }

    /** Drops the database from the page cache and from DuckDB's own memory. */
    public void chill() throws SQLException {
        connection.close();
        PageCache.drop(directory);
        connection = connect();
    }

    /** Version of the library. */
    public final String version() throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
