package dev.loom.cli.query;

import dev.loom.query.QueryCursor;

/** Prints records in arrival order, as they are read. */
final class ArrivalScan implements QueryRun.Visitor {
    private final RecordOutput output;

    ArrivalScan(RecordOutput output) {
        this.output = output;
    }

    @Override
    public boolean visit(QueryCursor record) {
        output.print(record.timeNs(), record);
        return !output.full();
    }

    @Override
    public void pause() {
        output.flushNowAndThen();
    }
}
