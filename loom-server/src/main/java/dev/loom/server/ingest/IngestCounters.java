package dev.loom.server.ingest;

import java.util.concurrent.atomic.LongAdder;

/** Counts what the ingest port has taken and refused. Usable from any thread. */
public final class IngestCounters {
    /** Batches taken completely. */
    public final LongAdder batches = new LongAdder();

    /** Records taken. */
    public final LongAdder records = new LongAdder();

    /** Batches of which the client must resend a part or all. */
    public final LongAdder retries = new LongAdder();

    /** Refused requests and protocol violations. */
    public final LongAdder refusals = new LongAdder();

    /** Connections refused because of the limit. */
    public final LongAdder connectionsRefused = new LongAdder();

    /** Connections that failed to shake hands. */
    public final LongAdder handshakesFailed = new LongAdder();

    IngestCounters() {}
}
