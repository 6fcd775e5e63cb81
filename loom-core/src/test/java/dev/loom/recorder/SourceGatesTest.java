package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SourceGatesTest {
    private static final DropPolicy POLICY = DropPolicy.sample(7, 0.5);

    private final SourceGates gates = new SourceGates();

    @Test
    void shouldFindEverySourceAddedHoweverManyThereAre() {
        Map<Integer, SourceGate> added = new HashMap<>();
        for (int id : new int[] {1, 63, 64, 65, 127, 128, 1_000, 65_535}) {
            gates.add(id, POLICY, id == 64);
            added.put(id, gates.get(id));
        }
        added.forEach((id, gate) -> {
            assertSame(gate, gates.get(id));
            assertEquals(id, gate.id);
            assertEquals(id == 64, gate.closed());
            assertSame(POLICY, gate.policy());
        });
        List<SourceGate> all = new ArrayList<>();
        for (SourceGate gate : gates.all()) {
            if (gate != null) {
                all.add(gate);
            }
        }
        assertEquals(added.size(), all.size());
        assertTrue(added.values().containsAll(all));
    }

    @Test
    void shouldRefuseIdsThatWereNeverDefined() {
        gates.add(1, POLICY, false);
        for (int id : new int[] {0, -1, 2, 63, 64, 65, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> gates.get(id), () -> "id=" + id);
        }
    }

    @Test
    void shouldCountDropsByReasonAndByWindow() {
        SourceGate gate = new SourceGate(1, POLICY);
        for (LossReason reason : LossReason.values()) {
            for (int i = 0; i < reason.code(); i++) {
                gate.countDropped(reason);
            }
        }
        gate.full.add(1);
        gate.sampled.add(2);
        gate.sampled.add(2);
        gate.failed.add(3);
        for (LossReason reason : LossReason.values()) {
            long expected = switch (reason) {
                case RECORDER_FULL -> 1;
                case SAMPLED -> 2;
                case FAILED -> reason.code() + 1;
                default -> reason.code();
            };
            assertEquals(expected, gate.dropped(reason), reason::name);
        }
    }

    @Test
    void shouldTakeEveryNthRecordFromTheFirstOn() {
        SourceGate gate = new SourceGate(1, POLICY);
        List<Integer> taken = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            if (gate.takesSample(7)) {
                taken.add(i);
            }
        }
        assertEquals(List.of(0, 7, 14), taken);
    }

    @Test
    void shouldTakeItsPolicyAndItsStateFromTheLastCall() {
        SourceGate gate = new SourceGate(1, POLICY);
        gate.policy(DropPolicy.refuse());
        assertEquals(Duration.ZERO, gate.policy().waitMax());
        assertEquals(1, gate.policy().oneIn());
        gate.close();
        assertTrue(gate.closed());
        gate.open();
        assertFalse(gate.closed());
        gate.countPublished();
        gate.countPublished();
        assertEquals(2, gate.published());
    }
}
