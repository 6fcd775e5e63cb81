package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class WhereAllocationTest {
    private static final int ROUNDS = 20_000;
    private static final String EXPRESSION =
            "latency_ns > 50ms and not op in ('SET', 'DEL') and (op contains 'ET' and op matches 'g* NOT later' or ratio"
                    + " < 0.5) and ok != false and op >= 'G' and (latency_ns * 3 / 7 - latency_ns / 1000 > -ratio or ratio is"
                    + " null) and latency_ns / 3 != latency_ns and ((latency_ns + 0.5) * ratio * 7 + 1 / 3 != ratio / 3 - 7"
                    + " / 9 or latency_ns * 1000000007 / 5 > latency_ns)";

    @Test
    void shouldAllocateNothingWhenTestingStructs() {
        StructFormat format = Formats.struct("latency_ns:u64,op:utf8,ratio:f32?,ok:bool");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
        writer.begin(buffer, 0);
        writer.setUnsigned(0, -1);
        writer.setUtf8(1, "GET");
        writer.setBoolean(3, true);
        int length = writer.finish();
        assertAllocatesNothing(Where.parse(EXPRESSION).bind(format), buffer, length);
    }

    @Test
    void shouldAllocateNothingWhenTestingJson() {
        byte[] document = "{\"latency_ns\":60000000,\"op\":\"G\\u0045T\",\"ratio\":0.25,\"ok\":true}"
                .getBytes(StandardCharsets.UTF_8);
        assertAllocatesNothing(
                Where.parse(EXPRESSION).bind(Formats.json()), new UnsafeBuffer(document), document.length);
    }

    private static void assertAllocatesNothing(Where.Predicate predicate, UnsafeBuffer buffer, int length) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        boolean held = true;
        for (int i = 0; i < ROUNDS; i++) {
            held &= predicate.test(buffer, 0, length);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < ROUNDS; i++) {
            held &= predicate.test(buffer, 0, length);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(held);
        assertTrue(allocated < ROUNDS, "allocated bytes: total=" + allocated + ", rounds=" + ROUNDS);
    }
}
