package dev.loom.query.series;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class SeriesKeyTest {
    private static final int PAIRS = 13;

    /** Of the letters a and b, such that products of any odd number agree for it and for its complement. */
    private static String thueMorse(boolean complement) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 1_024; i++) {
            text.append((Integer.bitCount(i) % 2 == 0) == complement ? 'b' : 'a');
        }
        return text.toString();
    }

    @Test
    void shouldKeepApartWhatASenderMadeAlike() {
        requireApart("Aa", "BB"); // of one hash as Java's texts
        requireApart(thueMorse(false), thueMorse(true));
    }

    private static void requireApart(String zero, String one) {
        SeriesKey key = new SeriesKey(Formats.json(), null);
        Set<Integer> hashes = new HashSet<>();
        for (int number = 0; number < 1 << PAIRS; number++) {
            StringBuilder attribute = new StringBuilder();
            for (int bit = 0; bit < PAIRS; bit++) {
                attribute.append((number >> bit & 1) == 0 ? zero : one);
            }
            byte[] point =
                    ("{\"name\":\"m\",\"attributes\":{\"a\":\"" + attribute + "\"}}").getBytes(StandardCharsets.UTF_8);
            key.read(new UnsafeBuffer(point), 0, point.length);
            hashes.add(key.hashCode());
        }
        assertTrue(hashes.size() > (1 << PAIRS) * 99 / 100, () -> "hashes=" + hashes.size());
    }
}
