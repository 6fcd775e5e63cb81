package dev.loom.cli.demo;

import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.PushStatus;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** One source of the demo with its index: encodes records, passes them to the recorder, counts them. Usable from any thread. */
final class TelemetrySource {
    private static final int PAYLOAD_LENGTH_MAX = 1024;

    private final Recorder recorder;
    private final String name;
    private final int id;
    private final StructWriter writer;
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[PAYLOAD_LENGTH_MAX]);
    private long recorded;

    /** Defines the source. */
    TelemetrySource(Recorder recorder, String name, String fields, String indexedField) {
        this.recorder = recorder;
        this.name = name;
        StructFormat format = (StructFormat) Formats.parse("struct:" + fields);
        writer = new StructWriter(format);
        id = recorder.defineSource(name, format, Map.of(), DropPolicy.waitUpTo(DropPolicy.WAIT_MAX));
        recorder.defineIndex(id, indexedField, IndexFunction.field(format, indexedField), Bins.logLinear());
    }

    String name() {
        return name;
    }

    /**
     * Records one event; never drops it.
     *
     * @param values one per field: integers, texts and byte arrays
     */
    synchronized void record(Object... values) {
        writer.begin(payload, 0);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof Number number) {
                writer.setLong(i, number.longValue());
            } else if (values[i] instanceof byte[] bytes) {
                writer.setBytes(i, new UnsafeBuffer(bytes), 0, bytes.length);
            } else {
                writer.setUtf8(i, (String) values[i]);
            }
        }
        long status = recorder.offer(id, payload, 0, writer.finish());
        if (status < 0) {
            throw new IllegalStateException(
                    "record was refused: source=" + name + ", status=" + PushStatus.name(status));
        }
        recorded++;
    }

    /** Records taken so far. */
    synchronized long recorded() {
        return recorded;
    }
}
