package dev.loom.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ArgumentsTest {
    private static final String[] DEFAULTS = {"payload", "8,48", "ring", "128m", "rounds", "5"};

    @Test
    void shouldTakeDefaultsForWhatIsNotGiven() {
        final Arguments arguments = Arguments.parse(new String[] {"--ring", "1g"}, DEFAULTS);

        assertEquals(1L << 30, arguments.bytes("ring"));
        assertEquals(List.of("8", "48"), arguments.list("payload"));
        assertEquals(5, arguments.number("rounds"));
        assertEquals("--payload 8,48 --ring 1g --rounds 5", arguments.toString());
    }

    @Test
    void shouldRefuseUnknownNamesAndMissingValues() {
        assertThrows(IllegalArgumentException.class, () -> Arguments.parse(new String[] {"--pages", "1"}, DEFAULTS));
        assertThrows(IllegalArgumentException.class, () -> Arguments.parse(new String[] {"--ring"}, DEFAULTS));
        assertThrows(IllegalArgumentException.class, () -> Arguments.parse(new String[] {"ring", "1"}, DEFAULTS));
    }
}
