package dev.loom.query.service;

import dev.loom.query.trace.TraceParts;

/** Runs a request for one trace. For one thread. */
final class TraceRun {
    private final TraceRequest request;
    private final TraceScan scan;
    private final ResultHandler results;
    private final TraceParts parts;
    private long found;

    TraceRun(TraceRequest request, TraceScan scan, QueryExecution run, ResultHandler results) {
        this.request = request;
        this.scan = scan;
        this.results = results;
        parts = new TraceParts(request.id(), request.recordsMax(), run.memory());
    }

    void run() {
        boolean whole = true;
        for (int i = 0; i < request.records().size() && whole; i++) {
            whole = scan.read(request.records().get(i), (record, reader, timeNs, asked) -> {
                found++;
                if (request.tree()) {
                    parts.add(reader, record.address(), timeNs);
                } else {
                    results.onRecord(timeNs, record.address(), record.buffer(), record.offset(), record.length());
                }
                return true;
            });
        }
        if (found == 0) {
            results.onNothing("no span and no log record of the trace in the range: trace=" + request.id());
        } else if (request.tree()) {
            results.onTrace(request, parts.trace());
        }
    }
}
