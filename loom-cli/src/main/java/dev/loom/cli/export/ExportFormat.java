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
    /** A packet capture, of sources of packets. */
    PCAPNG,
    /** OTLP/JSON, one request per line, or requests to a receiver, of sources of OTLP records. */
    OTLP,
    /** A table with a type for each column, of one source; a module of its own writes it. */
    PARQUET;

    /** Whether people can't read it. */
    boolean isBinary() {
        return this == ARCHIVE || this == PCAPNG || this == PARQUET;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
