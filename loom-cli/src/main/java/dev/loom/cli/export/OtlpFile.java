package dev.loom.cli.export;

import dev.loom.otlp.Signal;
import dev.loom.otlp.export.RequestJson;
import dev.loom.server.json.OtlpLines;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A file of OTLP/JSON, as the Collector's file exporter writes it: one request per line. */
final class OtlpFile implements OtlpSink {
    private final DataOutput out;
    private final boolean terminal;

    /** @param terminal whether a terminal shows it, so that no character may command that */
    OtlpFile(DataOutput out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    @Override
    public boolean deliver(Signal signal, byte[] request) {
        try {
            if (terminal) {
                OtlpLines.printVisible(signal, request, out);
            } else {
                RequestJson.write(signal, request, out);
                out.write('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return true;
    }

    /** The specification of these files demands it. */
    @Override
    public boolean hasOneSignal() {
        return true;
    }
}
