package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Terms over a field that a program makes of payloads: here their length. */
final class DerivedFieldTest {
    private final Lengths lengths = new Lengths();

    /** The length of a payload, as a number; counts how often it was made. */
    private static final class Lengths implements PayloadFormat {
        private int made;

        @Override
        public String name() {
            return "lengths";
        }

        @Override
        public String text() {
            return name();
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field("length", Field.Type.I64, false));
        }

        @Override
        public @Nullable FieldReader field(String name) {
            return name.equals("length") ? this::read : null;
        }

        private void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
            made++;
            into.setInteger(length);
        }
    }

    private Where length(String comparison) {
        return new Where.Derived(lengths, Where.parse("length " + comparison));
    }

    private static boolean test(Where.Predicate predicate, String line) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        return predicate.test(new UnsafeBuffer(bytes), 0, bytes.length);
    }

    @Test
    void shouldTestDerivedFieldsBesideOthers() {
        Where.Predicate long3OrA =
                new Where.Or(List.of(Where.parse("line == \"a\""), length("> 3"))).bind(Formats.text());
        assertTrue(test(long3OrA, "a"));
        assertTrue(test(long3OrA, "bbbb"));
        assertFalse(test(long3OrA, "bbb"));
        Where.Predicate not = new Where.Not(length("> 3")).bind(Formats.text());
        assertTrue(test(not, "bbb"));
        assertFalse(test(not, "bbbb"));
    }

    @Test
    void shouldDeriveAFieldOnceForAllTermsAndOnlyIfItIsAsked() {
        Where.Predicate all = new Where.And(
                        List.of(Where.parse("line contains \"x\""), length("> 3"), length("< 6"), length("!= 5")))
                .bind(Formats.text());
        assertTrue(test(all, "xbbb"));
        assertEquals(1, lengths.made);
        assertFalse(test(all, "xbbbb"));
        assertEquals(2, lengths.made);
        assertFalse(test(all, "bbbb"));
        assertEquals(2, lengths.made);
        assertEquals(Set.of("line"), all.fieldsSeen().keySet());
    }

    @Test
    void shouldKnowNoFieldBesidesThoseDerived() {
        assertEquals(Set.of(), length("> 3").fields());
        assertEquals("length > 3", length("> 3").toString());
        Where unknown = new Where.Derived(lengths, Where.parse("line == \"a\""));
        assertThrows(UnknownFieldException.class, () -> unknown.bind(Formats.text()));
        // a unit is resolved by the derived field
        assertTrue(test(length("== 2ns").bind(Formats.text()), "ab"));
    }
}
