package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.format.Formats;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.Value;
import java.math.BigDecimal;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How many passes a search takes. */
final class GroupRanksTest {
    private static final IndexFunction VALUE = IndexFunction.field(Formats.parse("struct:v:i64"), "v");
    private static final int GROUPS = 2;

    /** 512 KiB of cells are left for a pass, 32,768 of each group. */
    private final QueryMemory memory = new QueryMemory(3 << 19);

    @Test
    void shouldCollectTheValuesOfAllGroupsAtOnceIfThereIsRoomForThem() {
        assertEquals(1, passes(32_000));
        assertEquals(1, passes(1 << 15));
    }

    @Test
    void shouldNarrowFirstIfThereIsNone() {
        assertEquals(2, passes((1 << 15) + 1));
    }

    private int passes(int values) {
        int passes = 0;
        try (GroupMemory of = new GroupMemory(memory)) {
            GroupStates states = new GroupStates(of, VALUE);
            GroupRanks ranks = new GroupRanks(of, states, VALUE, List.of(BigDecimal.valueOf(50)), null);
            for (int group = 0; group < GROUPS; group++) {
                states.add();
                for (int i = 0; i < values; i++) {
                    states.addValue(group, key(i), 0);
                }
                ranks.ask(group);
            }
            while (!ranks.isDone()) {
                passes++;
                ranks.begin();
                for (int group = 0; group < GROUPS; group++) {
                    for (int i = 0; i < values; i++) {
                        ranks.add(group, key(i), 0);
                    }
                }
                ranks.end();
            }
            ranks.free();
            for (int group = 0; group < GROUPS; group++) {
                Value median = Objects.requireNonNull(ranks.value(group, BigDecimal.valueOf(50)));
                assertEquals(key((values - 1) / 2), median.key());
            }
        }
        assertEquals(0, memory.reserved());
        return passes;
    }

    private static long key(int i) {
        return ValueType.I64.key(1_000L * i);
    }
}
