package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.format.Formats;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The fields that expressions name, in terms of every kind. */
final class NamedFieldsTest {
    private static final String ALL =
            "not (a == 1 or b in (1, 2)) and c not in (1, 2) and d is null and e contains \"x\""
                    + " and f icontains \"x\" and g matches \"x\" and h =~ \"x\" and i - 2 * (j + i) > k / 3 and `l.m` between 1 and 2"
                    + " and m between 1 and 2ms";

    /** The only kind that no text parses to. */
    private static final Where DERIVED =
            new Where.Derived(Formats.parse("struct:line:utf8"), Where.parse("line contains 'x'"));

    @Test
    void shouldNameEachFieldOnce() {
        assertEquals(
                Set.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l.m", "m"),
                Where.parse(ALL).fields());
        assertEquals(Set.of("end"), Where.parse("end > 5ms").fields());
        assertEquals(
                Set.of("a"), new Where.And(List.of(Where.parse("a == 1"), DERIVED)).fields(), "of the payload's own");
    }

    /** Whoever adds a kind of term has to say which fields it names, and add it above. */
    @Test
    void shouldKnowEveryKindOfTerm() {
        Set<String> kinds = new TreeSet<>();
        collect(new Where.And(List.of(Where.parse(ALL), DERIVED)), kinds);
        Set<String> permitted = new TreeSet<>();
        Arrays.stream(Where.class.getPermittedSubclasses())
                .map(Class::getSimpleName)
                .forEach(permitted::add);
        assertEquals(permitted, kinds);
    }

    private static void collect(Where expression, Set<String> kinds) {
        kinds.add(expression.getClass().getSimpleName());
        if (expression instanceof Where.And and) {
            and.terms().forEach(term -> collect(term, kinds));
        } else if (expression instanceof Where.Or or) {
            or.terms().forEach(term -> collect(term, kinds));
        } else if (expression instanceof Where.Not not) {
            collect(not.term(), kinds);
        }
    }
}
