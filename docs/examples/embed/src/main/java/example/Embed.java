package example;

import dev.loom.Loom;
import dev.loom.api.RecordField;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** Stores a hundred thousand requests, a slow one among them, and finds it again. */
public final class Embed {
    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory("loom-embed");
        StructFormat format = Formats.struct("latency_ns:i64,key:utf8");
        try (Loom loom = Loom.open(directory)) {
            int requests = loom.defineSource("requests", format);
            StructWriter writer = new StructWriter(format);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
            for (int i = 0; i < 100_000; i++) {
                writer.begin(payload, 0);
                writer.setLong(0, i == 27_182 ? 80_000_000 : 40_000);
                writer.setUtf8(1, "key-" + i);
                loom.push(requests, payload, 0, writer.finish());
            }
            try (Snapshot snapshot = loom.snapshot();
                    QueryCursor record = RawScan.of(snapshot, requests).open()) {
                RecordField latency = record.field(format, "latency_ns");
                while (record.next()) {
                    if (latency.getLong() > 50_000_000) {
                        System.out.println("slow request: time=" + record.timeNs() + ", ns=" + latency.getLong());
                    }
                }
            }
        }
    }
}
