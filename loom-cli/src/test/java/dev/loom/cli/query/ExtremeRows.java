package dev.loom.cli.query;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.server.time.ClockPair;
import dev.loom.server.time.EventTime;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A source {@code s} of records whose values and times few have: infinities, subnormals, ends of types, centuries. */
final class ExtremeRows {
    static final List<String> FIELDS = List.of("d", "f", "i", "u");

    /** Beyond every double. */
    static final BigDecimal INFINITY = new BigDecimal("1e400");

    private static final PayloadFormat FORMAT = Formats.parse("struct:ts:i64,d:f64,f:f32,i:i64,u:u64");
    private static final double[] DOUBLES = {
        0.0,
        -0.0,
        1,
        2,
        50,
        100,
        -100,
        1e-310,
        2e-310,
        -1e-310,
        4.9e-324,
        1e-300,
        1e300,
        -1e300,
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN
    };
    private static final long[] LONGS = {0, 1, 2, 50, 100, -100, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 62, -1L << 62};
    static final long[] TIMES = {
        0,
        1,
        1_000,
        Cli.NOW_NS,
        Cli.NOW_NS + 1,
        -6_000_000_000_000_000_000L,
        9_000_000_000_000_000_000L,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE + 1
    };

    private ExtremeRows() {}

    /** A record. */
    record Row(long ts, double d, float f, long i, long u) {
        /** The value of a field, by a representation of the test's own; null for NaN. */
        @Nullable
        BigDecimal value(String field) {
            return switch (field) {
                case "d" -> number(d);
                case "f" -> number(f);
                case "i" -> BigDecimal.valueOf(i);
                default -> new BigDecimal(Long.toUnsignedString(u));
            };
        }
    }

    static @Nullable BigDecimal number(double value) {
        return Double.isNaN(value)
                ? null
                : Double.isInfinite(value) ? value > 0 ? INFINITY : INFINITY.negate() : new BigDecimal(value);
    }

    static Cli store(Path directory, List<Row> rows, boolean indexed) {
        AtomicLong clock = new AtomicLong(Cli.NOW_NS - 1_000_000);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[36]);
        EventTime eventTime = new EventTime("ts", new ClockPair(0, 0, 0, 0));
        Cli cli = Cli.onSmallStore(directory);
        try (Loom loom = Loom.open(LoomConfig.at(directory).clock(clock::get).build())) {
            int source = loom.defineSource("s", FORMAT, eventTime.attributes());
            if (indexed) {
                eventTime.defineIndex(loom, source, FORMAT);
                for (String field : FIELDS) {
                    loom.defineIndex(source, field, IndexFunction.field(FORMAT, field), Bins.logLinear());
                }
            }
            for (Row row : rows) {
                payload.putLong(0, row.ts(), ByteOrder.LITTLE_ENDIAN);
                payload.putDouble(8, row.d(), ByteOrder.LITTLE_ENDIAN);
                payload.putFloat(16, row.f(), ByteOrder.LITTLE_ENDIAN);
                payload.putLong(20, row.i(), ByteOrder.LITTLE_ENDIAN);
                payload.putLong(28, row.u(), ByteOrder.LITTLE_ENDIAN);
                loom.push(source, payload, 0, 36);
                clock.addAndGet(1_000);
            }
        }
        return cli;
    }

    static List<Row> random(Random random) {
        List<Row> rows = new ArrayList<>();
        int kinds = 1 + random.nextInt(DOUBLES.length);
        for (int n = 1 + random.nextInt(60); n > 0; n--) {
            double d = DOUBLES[random.nextInt(kinds)];
            long i = LONGS[random.nextInt(LONGS.length)];
            long ts = TIMES[random.nextInt(1 + random.nextInt(TIMES.length))];
            rows.add(new Row(ts, d, (float) d, i, LONGS[random.nextInt(LONGS.length)]));
        }
        return rows;
    }
}
