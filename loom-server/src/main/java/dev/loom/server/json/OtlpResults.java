package dev.loom.server.json;

import dev.loom.api.Source;
import dev.loom.server.text.DataOutput;

/** Prints the records of an answer as OTLP/JSON. For one thread. */
public final class OtlpResults extends RecordResults {
    private final DataOutput out;
    private final OtlpLines lines;

    /** @param out takes the lines */
    public OtlpResults(DataOutput out) {
        this.out = out;
        this.lines = new OtlpLines(out);
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return lines.printer(source);
    }

    @Override
    public void onFlush() {
        lines.deliver();
        out.flush();
    }
}
