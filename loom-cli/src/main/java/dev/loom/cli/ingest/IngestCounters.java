package dev.loom.cli.ingest;

import java.util.concurrent.atomic.LongAdder;

/** What the ingest port has taken and refused. Usable from any thread. */
public final class IngestCounters {
    final LongAdder batches = new LongAdder();
    final LongAdder records = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder refusals = new LongAdder();
    final LongAdder connectionsRefused = new LongAdder();

    IngestCounters() {}

    /** Batches taken whole. */
    public long batches() {
        return batches.sum();
    }

    /** Records taken. */
    public long records() {
        return records.sum();
    }

    /** Batches of which a part, or all, has to be sent again. */
    public long retries() {
        return retries.sum();
    }

    /** Requests that can't be done, and violations of the protocol. */
    public long refusals() {
        return refusals.sum();
    }

    /** Connections beyond the limit. */
    public long connectionsRefused() {
        return connectionsRefused.sum();
    }
}
