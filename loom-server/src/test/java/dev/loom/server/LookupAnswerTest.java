package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.server.http.ApiFailure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Answers to lookups, kept until they are whole unless they are long, and the memory that they have. */
final class LookupAnswerTest {
    private final ByteBudget budget = new ByteBudget(2L * LookupAnswer.LENGTH_MAX);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final byte[] bytes = new byte[LookupAnswer.LENGTH_MAX + 1];

    LookupAnswerTest() {
        new Random(1).nextBytes(bytes);
    }

    private LookupAnswer answer() {
        return new LookupAnswer(budget, () -> sent);
    }

    /** Writes pieces of growing length. */
    private void write(LookupAnswer answer, int length) throws IOException {
        int piece = 1;
        for (int at = 0; at < length; at += piece++) {
            answer.write(bytes, at, Math.min(piece, length - at));
        }
    }

    @Test
    void shouldBeKeptUntilItIsTooLong() throws IOException {
        LookupAnswer kept = answer();
        write(kept, LookupAnswer.LENGTH_MAX);
        ByteBuffer whole = Objects.requireNonNull(kept.whole());
        byte[] found = new byte[whole.remaining()];
        whole.get(found);
        assertArrayEquals(Arrays.copyOf(bytes, LookupAnswer.LENGTH_MAX), found);
        assertEquals(LookupAnswer.LENGTH_MAX, budget.held());
        assertEquals(0, sent.size());
        kept.release();
        kept.release();
        assertEquals(0, budget.held());

        LookupAnswer streamed = answer();
        write(streamed, bytes.length);
        streamed.write(7);
        assertNull(streamed.whole());
        assertEquals(0, budget.held());
        byte[] expected = Arrays.copyOf(bytes, bytes.length + 1);
        expected[bytes.length] = 7;
        assertArrayEquals(expected, sent.toByteArray());
    }

    @Test
    void shouldBeRefusedWhenTooManyAreUnread() throws IOException {
        LookupAnswer first = answer();
        LookupAnswer second = answer();
        LookupAnswer third = answer();
        write(first, LookupAnswer.LENGTH_MAX);
        write(second, LookupAnswer.LENGTH_MAX - 1);
        ApiFailure refusal = assertThrows(ApiFailure.class, () -> third.write(7));
        assertEquals(429, refusal.status());
        first.release();
        third.write(7);
        second.release();
        third.release();
        assertEquals(0, budget.held());
    }
}
