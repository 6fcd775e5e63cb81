package dev.loom.server.ingest;

import java.util.concurrent.atomic.LongAdder;

/** Counts what the ingest port has taken and refused. Usable from any thread. */
public final class IngestCounters {
    final LongAdder batches = new LongAdder();
    final LongAdder records = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder refusals = new LongAdder();
    final LongAdder connectionsRefused = new LongAdder();

    IngestCounters() {}

    /** Batches taken completely. */
    public long batches() {
        return batches.sum();
    }

    /** Records taken. */
    public long records() {
        return records.sum();
    }

    /** Batches of which the client must resend a part or all. */
    public long retries() {
        return retries.sum();
    }

    /** Refused requests and protocol violations. */
    public long refusals() {
        return refusals.sum();
    }

    /** Connections refused because of the limit. */
    public long connectionsRefused() {
        return connectionsRefused.sum();
    }
}
