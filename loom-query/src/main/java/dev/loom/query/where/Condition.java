package dev.loom.query.where;

import dev.loom.format.FieldValue;
import dev.loom.query.text.TextMatcher;

/** A node of a bound expression, which tests the current payload. */
interface Condition {
    boolean test();

    /** It doesn't hold. */
    record Negation(Condition term) implements Condition {
        @Override
        public boolean test() {
            return !term.test();
        }
    }

    /** A number, or any in an array, against a number. */
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

    /** A text, bytes, or any in an array, against a text. */
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

    /** A boolean, or any in an array, against a boolean, for equality or its opposite. */
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

    /** A text, bytes, or the text of a JSON value, against a text query. */
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

    /** A text, bytes, or the text of a JSON value, in which a text is searched for. */
    record SubstringTest(FieldSlot slot, TextSearch text) implements Condition, FieldSlot.ValueTest {
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

    /** No value. */
    record AbsenceTest(FieldSlot slot) implements Condition {
        @Override
        public boolean test() {
            return slot.value().kind() == FieldValue.Kind.ABSENT;
        }
    }
}
