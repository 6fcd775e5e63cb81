package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.IndexedText;
import dev.loom.format.LookupWithoutPayloads;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Tokens of records whose values lie in others. */
final class RowTokensTest {
    private static final IndexedText INDEXED =
            IndexedText.of(new Referring("referring"), Map.of(IndexedText.ATTRIBUTE, "shared:value"));

    /** Has a field, 7, behind a reference. */
    private record Referring(String text) implements PayloadFormat {
        @Override
        public String name() {
            return text;
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field("shared", Field.Type.I64, true));
        }

        @Override
        public FieldReader field(String name) {
            return (buffer, offset, length, into) -> {
                RecordLookup lookup = into.lookup();
                if (lookup != null && lookup.find(0, "shared")) {
                    into.setInteger(7);
                } else {
                    into.setAbsent();
                }
            };
        }
    }

    /** Finds records, or does not, or can't read them. */
    private static final class Lookup extends LookupWithoutPayloads {
        private boolean there;
        private boolean damaged;

        @Override
        public boolean find(long address, String format) {
            failures += damaged ? 1 : 0;
            return there && !damaged;
        }
    }

    private final Lookup lookup = new Lookup();
    private final RowTokens tokens = new RowTokens(INDEXED, new Referring("referring"), lookup);

    private List<Long> values() {
        List<Long> values = new ArrayList<>();
        tokens.read(0, new UnsafeBuffer(new byte[8]), 0, 8, new RowTokens.Sink() {
            @Override
            public void onWord(TokenReader token) {
                throw new AssertionError("the field is no text");
            }

            @Override
            public void onValue(long digest) {
                values.add(digest);
            }
        });
        return values;
    }

    @Test
    void shouldNotTakeAValueThatCannotBeReadForOneThatIsNotThere() {
        long uncertain = RowTokens.uncertain(INDEXED.fields().get(0));
        assertEquals(List.of(), values());
        lookup.there = true;
        assertEquals(1, values().size());
        lookup.damaged = true;
        assertEquals(List.of(uncertain), values());
        assertEquals(List.of(uncertain), values());
        lookup.damaged = false;
        assertEquals(1, values().size());
    }
}
