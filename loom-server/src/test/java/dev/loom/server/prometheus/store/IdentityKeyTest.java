package dev.loom.server.prometheus.store;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class IdentityKeyTest {
    private static final int PAIRS = 13;

    /** "Aa" and "BB" have one hash as Java's texts. */
    @Test
    void shouldKeepApartWhatASenderMadeAlike() {
        IdentityKey key = new IdentityKey();
        FieldValue value = new FieldValue();
        Set<Integer> hashes = new HashSet<>();
        for (int number = 0; number < 1 << PAIRS; number++) {
            StringBuilder attribute = new StringBuilder();
            for (int bit = 0; bit < PAIRS; bit++) {
                attribute.append((number >> bit & 1) == 0 ? "Aa" : "BB");
            }
            byte[] text = attribute.toString().getBytes(StandardCharsets.UTF_8);
            value.setBytes(FieldValue.Kind.TEXT, new UnsafeBuffer(text), 0, text.length);
            key.clear();
            key.add(value);
            key.end();
            hashes.add(key.hashCode());
        }
        assertTrue(hashes.size() > (1 << PAIRS) * 99 / 100, () -> "hashes=" + hashes.size());
    }
}
