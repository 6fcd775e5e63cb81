package dev.loom.cli.importing;

import java.util.Locale;

/** The input formats of an import. */
enum InputFormat {
    /** A header line, then one row per record. */
    CSV,
    /** One JSON object per line, kept unchanged. */
    JSONL,
    /** One line of text per record, as the field {@code line}. */
    LINES,
    /** A packet capture, pcap or pcapng, with one packet per record. */
    PCAP,
    /** Archives of {@code loom export}, with their sources, indexes and arrival times. */
    ARCHIVE;

    /** Whether inputs are text, in UTF-8. */
    boolean isText() {
        return this == CSV || this == JSONL || this == LINES;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
