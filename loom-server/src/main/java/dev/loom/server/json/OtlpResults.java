package dev.loom.server.json;

import dev.loom.api.Source;
import dev.loom.server.text.DataOutput;

/** Makes requests of the records of an answer, as OTLP has them. For one thread. */
public final class OtlpResults extends RecordResults {
    private final OtlpLines lines;
    private final Runnable flush;

    /** @param out takes them as OTLP/JSON, a line each */
    public OtlpResults(DataOutput out) {
        this.lines = new OtlpLines(out);
        this.flush = out::flush;
    }

    /** @param out takes them, the last of them when this is flushed */
    public OtlpResults(OtlpLines.Sink out) {
        this.lines = new OtlpLines(out);
        this.flush = () -> {};
    }

    /** How many records can't be read, or their resource is lost. */
    public long leftOut() {
        return lines.leftOut();
    }

    @Override
    protected RecordPrinter printer(Source source) {
        return lines.printer(source);
    }

    @Override
    public void onFlush() {
        lines.deliver();
        flush.run();
    }
}
