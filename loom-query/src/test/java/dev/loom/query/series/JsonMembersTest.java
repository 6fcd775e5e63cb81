package dev.loom.query.series;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class JsonMembersTest {
    private final FieldReader attributes = Objects.requireNonNull(Formats.json().field("a"));
    private final JsonMembers members = new JsonMembers();

    private String put(List<String> list) {
        byte[] json = ("{\"a\":{" + String.join(",", list) + "}}").getBytes(StandardCharsets.UTF_8);
        FieldValue value = new FieldValue();
        attributes.read(new UnsafeBuffer(json), 0, json.length, value);
        ExpandableArrayBuffer into = new ExpandableArrayBuffer();
        return into.getStringWithoutLengthUtf8(3, members.put(value, into, 3) - 3);
    }

    @Test
    void shouldPutMembersInOrder() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int count : new int[] {0, 1, 2, 3, 15, 16, 17, 32, 33, 100, 1_000}) {
            List<String> list = IntStream.range(0, count)
                    .mapToObj(i -> "\"k" + i + "\":" + random.nextInt(10))
                    .collect(Collectors.toCollection(ArrayList::new));
            Collections.shuffle(list, random);
            String expected = list.stream().sorted().map(each -> each + ",").collect(Collectors.joining());
            assertEquals(expected, put(list), "seed=" + seed + ", count=" + count);
        }
    }

    /** A client may send that many in one point, and nothing ends a query within a record. */
    @Test
    @Timeout(120)
    void shouldPutManyMembersInOrderWhateverTheirOrder() {
        List<String> falling = IntStream.range(0, 400_000)
                .mapToObj(i -> "\"k" + (999_999 - i) + "\":1")
                .collect(Collectors.toCollection(ArrayList::new));
        String put = put(falling);
        Collections.reverse(falling);
        assertEquals(put(falling), put);
    }
}
