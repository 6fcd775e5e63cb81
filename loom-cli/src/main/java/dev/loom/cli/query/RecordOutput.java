package dev.loom.cli.query;

import dev.loom.cli.output.RecordPrinter;
import dev.loom.format.RecordLookup;
import dev.loom.query.QueryCursor;
import org.agrona.DirectBuffer;

/** Prints up to a number of records, and flushes often enough that nobody waits for records far apart. For one thread. */
final class RecordOutput {
    private static final long FLUSH_EVERY_NS = 100_000_000L;

    private final RecordPrinter printer;
    private final long limit;
    private long printed;
    private long flushedNs = System.nanoTime();

    RecordOutput(RecordPrinter printer, long limit) {
        this.printer = printer;
        this.limit = limit;
    }

    /** Sets where to find the records that printed ones refer to. */
    void lookup(RecordLookup lookup) {
        printer.lookup(lookup);
    }

    void print(long timeNs, QueryCursor record) {
        print(timeNs, record.address(), record.buffer(), record.offset(), record.length());
    }

    void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        printer.print(timeNs, address, buffer, offset, length);
        printed++;
    }

    /** Flushes from time to time; call it even while nothing is printed. */
    void flushNowAndThen() {
        long nowNs = System.nanoTime();
        if (nowNs - flushedNs > FLUSH_EVERY_NS) {
            printer.flush();
            flushedNs = nowNs;
        }
    }

    /** Whether the limit is reached. */
    boolean full() {
        return printed >= limit;
    }

    long left() {
        return limit - printed;
    }

    long printed() {
        return printed;
    }

    void flush() {
        printer.flush();
    }
}
