package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Pushes records that refer to others: mostly as one should, to one before them in the same segment, and else to whatever an
 * enemy may think of.
 */
final class ReferringWriter {
    static final long SEGMENT_LENGTH = 20 << 16;
    static final String RECORDS = "records";

    private static final int SHARED_COUNT = 60;
    private static final int HEADER_LENGTH = 16;

    private final Random random;
    private final Loom loom;
    private final int shared;
    private final int other;
    private final int records;
    private final long[] addresses = new long[SHARED_COUNT];
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 17]);
    private long last;
    private long lastOther;
    private long lastRecord;

    ReferringWriter(Loom loom, long seed) {
        this.loom = loom;
        random = new Random(seed);
        shared = source("contexts", "shared");
        other = source("other", "bytes");
        records = source(RECORDS, "referring");
        PayloadFormat format = Formats.parse("referring");
        loom.defineIndex(records, "shared", IndexFunction.field(format, "shared"), Bins.logLinear());
    }

    private int source(String name, String format) {
        return loom.source(name).map(Source::id).orElseGet(() -> loom.defineSource(name, Formats.parse(format)));
    }

    void push(int count) {
        for (int i = 0; i < count; i++) {
            if (random.nextInt(15) == 0) {
                pushOther();
            }
            int which = random.nextInt(random.nextInt(SHARED_COUNT) + 1);
            if (addresses[which] == 0 || addresses[which] / SEGMENT_LENGTH != last / SEGMENT_LENGTH) {
                addresses[which] = pushShared();
            }
            pushRecord(random.nextInt(5) == 0 ? hostile() : addresses[which]);
        }
    }

    private long pushShared() {
        payload.putLong(0, random.nextInt(1_000_000));
        // some are too long to be kept in memory, some for a page; and all of them together are
        int length = switch (random.nextInt(40)) {
            case 0 -> 66_000 + random.nextInt(60_000);
            case 1, 2 -> 33_000 + random.nextInt(20_000);
            default -> 8 + random.nextInt(6_000);
        };
        last = loom.push(shared, payload, 0, length);
        return last;
    }

    /** Within it lies what looks like a record of the shared ones. */
    private void pushOther() {
        payload.putLong(8, 8 | 1L << 24);
        payload.putLong(16, shared);
        payload.putLong(24, 77_777_777);
        lastOther = loom.push(other, payload, 0, random.nextInt(30) == 0 ? 70_000 : 64);
        last = lastOther;
    }

    private void pushRecord(long reference) {
        payload.putLong(HEADER_LENGTH, reference);
        int length = random.nextInt(100) == 0 ? 70_000 : 8 + random.nextInt(50);
        lastRecord = loom.push(records, payload, HEADER_LENGTH, length);
        last = lastRecord;
        if (reference > last && random.nextBoolean()) {
            pushShared();
        }
    }

    private long hostile() {
        long someShared = addresses[random.nextInt(SHARED_COUNT)];
        return switch (random.nextInt(11)) {
            case 0 -> random.nextLong();
            case 1 -> someShared + 8;
            case 2 -> lastOther;
            case 3 -> lastOther + HEADER_LENGTH + 8;
            case 4 -> lastRecord;
            case 5 -> last + 64 + 8L * random.nextInt(12); // what may come next
            case 6 -> Long.MIN_VALUE | someShared;
            case 7 -> someShared & -65536;
            case 8 -> Long.MAX_VALUE;
            case 9 -> someShared + 1;
            default -> someShared - random.nextInt(3) * SEGMENT_LENGTH;
        };
    }
}
