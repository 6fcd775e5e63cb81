package dev.loom.bench.jmh;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.bench.push.CpuTime;
import org.junit.jupiter.api.Test;

final class RecordCostTest {
    private static final long BETWEEN_NS = 100_000_000;

    @Test
    void shouldLeaveOutWhatIsDoneBetweenInvocations() {
        final RecordCost cost = new RecordCost();
        cost.reset();
        final long startNs = CpuTime.threadNs();
        cost.begin();
        cost.end(1);
        final long pauseNs = CpuTime.threadNs();
        while (CpuTime.threadNs() - pauseNs < BETWEEN_NS) {
            Thread.onSpinWait();
        }
        cost.begin();
        cost.end(1);

        final double whole = CpuTime.threadNs() - startNs;
        final double counted = 2 * RecordCost.take().threadCpuNs();
        assertTrue(counted <= whole - BETWEEN_NS, "counted=" + counted + " ns, whole=" + whole + " ns");
    }
}
