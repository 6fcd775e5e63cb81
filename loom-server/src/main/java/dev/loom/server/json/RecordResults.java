package dev.loom.server.json;

import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.Difference;
import dev.loom.query.service.CauseThreshold;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.SeriesRequest;
import dev.loom.query.service.SeriesTally;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Prints the records of an answer, and flushes often enough that nobody waits for records far apart. For one thread. */
public abstract class RecordResults implements ResultHandler {
    private static final long FLUSH_EVERY_NS = 100_000_000L;
    private static final int CLOCK_EVERY = 256;

    private RecordPrinter printer = RecordPrinter.NONE;
    private @Nullable CauseThreshold threshold;
    private Difference.@Nullable Result difference;
    private @Nullable SeriesTally tally;
    private long printed;
    /** How many had been printed when they were last flushed now and then. */
    private long flushed;

    private long flushedNs = System.nanoTime();

    protected RecordResults() {}

    /**
     * Makes the printer of an answer's records.
     *
     * @throws dev.loom.query.service.RequestException if the source lacks a field to print
     */
    protected abstract RecordPrinter printer(Source source);

    @Override
    public void onBegin(Source source) {
        printer = printer(source);
    }

    @Override
    public void onLookup(RecordLookup lookup) {
        printer.lookup(lookup);
    }

    @Override
    public void onThreshold(CauseThreshold found) {
        threshold = found;
    }

    @Override
    public void onDifference(DifferenceRequest request, Difference.Result found) {
        difference = found;
    }

    @Override
    public void onSeriesEnd(SeriesRequest request, SeriesTally found) {
        tally = found;
    }

    @Override
    public void onCause(long address) {
        printer.cause(address);
    }

    @Override
    public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        printer.print(timeNs, address, buffer, offset, length);
        if (++printed % CLOCK_EVERY == 0) {
            flushNowAndThen();
        }
    }

    @Override
    public void onPulse() {
        flushNowAndThen();
    }

    /** Not before there is a record: what is said meanwhile comes before a header, not after it. */
    private void flushNowAndThen() {
        long nowNs = System.nanoTime();
        if (printed > flushed && nowNs - flushedNs > FLUSH_EVERY_NS) {
            printer.flush();
            flushed = printed;
            flushedNs = nowNs;
        }
    }

    @Override
    public void onFlush() {
        printer.flush();
    }

    /** Counts rows that are no records. */
    protected final void printed(long rows) {
        printed += rows;
    }

    /** Records and rows printed. */
    public final long printed() {
        return printed;
    }

    /** What was found of series; null if nothing was asked of them. */
    final @Nullable SeriesTally tally() {
        return tally;
    }

    /** The threshold of a correlation; null if there was none. */
    final @Nullable CauseThreshold threshold() {
        return threshold;
    }

    /** What a comparison found; null if there was none. */
    final Difference.@Nullable Result difference() {
        return difference;
    }
}
