package dev.loom.cli.export;

import java.util.Locale;

/** The forms of an export. */
enum ExportFormat {
    /** Sources, indexes and records, for another store. */
    ARCHIVE,
    /** One JSON object per record. */
    JSONL,
    /** A header line, then one row per record, of one source. */
    CSV,
    /** A table with a type for each column, of one source; a module of its own writes it. */
    PARQUET;

    /** Whether a file is of use only as a whole, and to programs alone. */
    boolean isBinary() {
        return this == ARCHIVE || this == PARQUET;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
