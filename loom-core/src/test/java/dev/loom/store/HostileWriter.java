package dev.loom.store;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StoreAccess;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a small store that has some of everything: three sessions, sources, indexes of all kinds, a record of several
 * pages, losses, an index that was rebuilt behind a gap. Then it closes it, or is killed.
 */
final class HostileWriter {
    static final int SOURCES = 4;
    static final int INDEXES = 6;
    private static final int PAYLOAD_LENGTH = 64;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[PAYLOAD_LENGTH]);
    private final Path store;
    private long number;
    private long now = 1_000_000_000_000_000_000L;

    private HostileWriter(Path store) {
        this.store = store;
    }

    public static void main(String[] arguments) {
        HostileWriter writer = new HostileWriter(Path.of(arguments[0]));
        boolean gap = arguments[1].contains("gap");
        try (Loom loom = writer.open(false)) {
            writer.define(loom);
            writer.push(loom, 1500);
        }
        try (Loom loom = writer.open(gap)) {
            writer.push(loom, 800);
            loom.closeSource(3);
            loom.closeIndex(2);
            StoreAccess.drop(loom, 1, 10);
            writer.push(loom, 800);
        }
        Loom last = writer.open(false);
        writer.push(last, 1500);
        last.push(2, new byte[100_000]);
        StoreAccess.drop(last, 1, 20);
        writer.push(last, 800);
        last.force();
        writer.push(last, 700);
        StoreAccess.drop(last, 2, 30);
        if (arguments[1].contains("killed")) {
            HaltingProcess.halt();
        }
        last.close();
        HaltingProcess.halt();
    }

    private Loom open(boolean rebuild) {
        LoomConfig.Builder builder = StoreAccess.small(store)
                .segmentBytes(256 << 10)
                .durabilityInterval(Duration.ofMillis(1))
                .clock(() -> now += 1000)
                .rebuildIndexes(rebuild);
        return Loom.open(rebuild ? builder.backgroundRebuildBytes(0).build() : builder.build());
    }

    private void define(Loom loom) {
        PayloadFormat format = Formats.parse("struct:a:i64,b:f64,c:u64,at:i64,rest:bytes");
        for (int i = 1; i <= SOURCES; i++) {
            loom.defineSource("source" + i, i == 4 ? Formats.text() : format, Map.of("key", "value" + i));
        }
        loom.defineIndex(1, "a", IndexFunction.field(format, "a"), Bins.logLinear());
        loom.defineIndex(1, "a-linear", IndexFunction.field(format, "a"), Bins.linear(0L, 1000L, 10));
        loom.defineIndex(1, "b", IndexFunction.field(format, "b"), Bins.logLinear());
        loom.defineIndex(2, "c", IndexFunction.field(format, "c"), Bins.edges(10L, 20L, 30L));
        loom.defineIndex(2, "a", IndexFunction.field(format, "a"), Bins.match(7L));
        loom.defineEventTimeIndex(2, "at", IndexFunction.field(format, "at"));
    }

    private void push(Loom loom, int records) {
        for (int i = 0; i < records; i++) {
            payload.putLong(0, number % 1000);
            payload.putDouble(8, number / 3.0);
            payload.putLong(16, number % 50);
            payload.putLong(24, number * 1000);
            loom.push(number % 3 == 0 ? 2 : number % 50 == 0 ? 4 : 1, payload, 0, PAYLOAD_LENGTH);
            number++;
        }
    }
}
