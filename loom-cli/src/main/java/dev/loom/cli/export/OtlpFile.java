package dev.loom.cli.export;

import dev.loom.otlp.Signal;
import dev.loom.otlp.export.RequestJson;
import dev.loom.server.text.DataOutput;
import java.io.IOException;
import java.io.UncheckedIOException;

/** A file of OTLP/JSON, as the Collector's file exporter writes it: one request per line. */
final class OtlpFile implements OtlpSink {
    private final DataOutput out;

    OtlpFile(DataOutput out) {
        this.out = out;
    }

    @Override
    public boolean deliver(Signal signal, byte[] request) {
        try {
            RequestJson.write(signal, request, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.write('\n');
        return true;
    }

    /** The specification of these files demands it. */
    @Override
    public boolean hasOneSignal() {
        return true;
    }
}
