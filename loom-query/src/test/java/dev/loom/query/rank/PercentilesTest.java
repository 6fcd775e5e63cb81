package dev.loom.query.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class PercentilesTest {
    @Test
    void shouldFindAPercentileInWhateverFormItWasAskedFor() {
        Map<BigDecimal, String> found =
                Map.of(new BigDecimal("50"), "half", new BigDecimal("99.90"), "late", new BigDecimal("1E+2"), "last");
        assertEquals(Optional.of("half"), Percentiles.find(found, 50));
        assertEquals(Optional.of("late"), Percentiles.find(found, 99.9));
        assertEquals(Optional.of("last"), Percentiles.find(found, 100));
        assertEquals(Optional.empty(), Percentiles.find(found, 99));
    }
}
