package dev.loom.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The parameters' ranges, at their edges. */
final class TextIndexParametersTest {
    private static final int[] LEAST = {1_024, 1, 1, 1, 0};
    private static final int[] MOST = {65_535, 64, 1_024, 32, 16};
    private static final List<String> NAMES =
            List.of("unit rows", "list rows", "list bytes", "count bytes", "prefix length");

    private static TextIndexParameters of(int[] numbers) {
        return new TextIndexParameters(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        of(LEAST);
        of(MOST);
        for (int i = 0; i < LEAST.length; i++) {
            refuse(LEAST, i, LEAST[i] - 1);
            refuse(MOST, i, MOST[i] + 1);
        }
    }

    private static void refuse(int[] others, int at, int number) {
        int[] numbers = others.clone();
        numbers[at] = number;
        String message =
                assertThrows(IllegalArgumentException.class, () -> of(numbers)).getMessage();
        assertTrue(message.contains(NAMES.get(at) + "=" + number + ", expected=" + LEAST[at] + " to "), message);
    }

    @Test
    void shouldChangeOneAtATime() {
        TextIndexParameters changed = TextIndexParameters.DEFAULT
                .withUnitRows(2_000)
                .withLists(3, 4)
                .withCountBytes(5)
                .withPrefixLength(6);
        assertEquals(new TextIndexParameters(2_000, 3, 4, 5, 6), changed);
    }
}
