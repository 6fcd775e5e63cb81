package dev.loom.query.where;

import dev.loom.format.FieldValue;
import dev.loom.query.match.TextMatcher;
import dev.loom.query.where.Where.Operator;

/** A node of a bound expression, which tests the current payload. */
interface Condition {
    boolean test();

    /** Holds if the term doesn't. */
    record Negation(Condition term) implements Condition {
        @Override
        public boolean test() {
            return !term.test();
        }
    }

    /** Compares a number, or any number in an array, with a number. */
    record NumberTest(FieldSlot slot, Operator operator, NumberComparand comparand)
            implements Condition, FieldSlot.ValueTest {
        @Override
        public boolean test() {
            return slot.any(this);
        }

        @Override
        public boolean passes(FieldValue value) {
            return operator.holds(comparand.compare(value));
        }
    }

    /** Compares a text or bytes, or any of them in an array, with a text. */
    record TextTest(FieldSlot slot, Operator operator, TextComparand comparand)
            implements Condition, FieldSlot.ValueTest {
        @Override
        public boolean test() {
            return slot.any(this);
        }

        @Override
        public boolean passes(FieldValue value) {
            return operator.holds(comparand.compare(value));
        }
    }

    /** Compares a boolean, or any boolean in an array, with a boolean by {@code ==} or {@code !=}. */
    record BooleanTest(FieldSlot slot, boolean expected) implements Condition, FieldSlot.ValueTest {
        @Override
        public boolean test() {
            return slot.any(this);
        }

        @Override
        public boolean passes(FieldValue value) {
            return value.kind() == FieldValue.Kind.BOOLEAN && (value.longValue() != 0) == expected;
        }
    }

    /** Matches a text, bytes, or the text of a JSON value with a text query. */
    record TextQueryTest(FieldSlot slot, TextMatcher matcher) implements Condition, FieldSlot.ValueTest {
        @Override
        public boolean test() {
            return slot.words(this);
        }

        @Override
        public boolean passes(FieldValue value) {
            return switch (value.kind()) {
                case TEXT, BYTES, JSON -> matcher.matches(value.bytes(), value.offset(), value.length());
                case ABSENT, INTEGER, UNSIGNED, DOUBLE, BOOLEAN -> false;
            };
        }
    }

    /** Searches a text, bytes, or the text of a JSON value for a text. */
    record SubstringTest(FieldSlot slot, TextFinder text) implements Condition, FieldSlot.ValueTest {
        @Override
        public boolean test() {
            return slot.anyText(this);
        }

        @Override
        public boolean passes(FieldValue value) {
            return switch (value.kind()) {
                case TEXT, BYTES, JSON -> text.isWithin(value.bytes(), value.offset(), value.length());
                case ABSENT, INTEGER, UNSIGNED, DOUBLE, BOOLEAN -> false;
            };
        }
    }

    /** Holds if the field has no value. */
    record AbsenceTest(FieldSlot slot) implements Condition {
        @Override
        public boolean test() {
            return slot.value().kind() == FieldValue.Kind.ABSENT;
        }
    }
}
