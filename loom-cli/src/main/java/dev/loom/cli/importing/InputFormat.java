package dev.loom.cli.importing;

import java.util.Locale;

/** The kinds of input that can be imported. */
enum InputFormat {
    /** A header line, then a row a record. */
    CSV,
    /** A JSON object a line, kept as it is. */
    JSONL,
    /** A line of text a record, as the field {@code line}. */
    LINES,
    /** A packet capture, pcap or pcapng, a packet a record. */
    PCAP;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
