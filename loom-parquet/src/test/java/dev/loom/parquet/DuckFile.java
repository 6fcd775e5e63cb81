package dev.loom.parquet;

import java.nio.file.Path;
import java.sql.Blob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

/** A file as DuckDB reads it. */
final class DuckFile {
    private DuckFile() {}

    /** The rows of an answer; the columns lie between bars, bytes are hexadecimal. {@code FILE} in the query is the file. */
    static List<String> query(Path file, String sql) {
        List<String> rows = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = connection.createStatement()) {
            statement.execute("set timezone = 'UTC'");
            try (ResultSet answer = statement.executeQuery(sql.replace("FILE", "'" + file + "'"))) {
                int columns = answer.getMetaData().getColumnCount();
                while (answer.next()) {
                    StringJoiner row = new StringJoiner("|");
                    for (int i = 1; i <= columns; i++) {
                        row.add(text(answer.getObject(i)));
                    }
                    rows.add(row.toString());
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
        return rows;
    }

    private static String text(Object value) throws SQLException {
        return value instanceof Blob blob
                ? HexFormat.of().formatHex(blob.getBytes(1, (int) blob.length()))
                : String.valueOf(value);
    }
}
