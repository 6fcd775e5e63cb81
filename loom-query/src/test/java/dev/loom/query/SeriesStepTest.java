package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.loom.query.model.TimeRange;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SeriesStepTest {
    private static @Nullable Double rate(long ns, @Nullable Number increase) {
        return new SeriesStep(List.of(), new TimeRange(5, 5 + ns), 1, 1, null, increase, Map.of()).rate();
    }

    @Test
    void shouldHaveARateWhereThereIsTimeForOne() {
        assertEquals(5.0, rate(1_000_000_000, 5L));
        assertEquals(2.5e9, rate(2, 5L));
        assertNull(rate(1_000_000_000, null));
        assertNull(rate(1, 5L), "all points have one time");
    }
}
