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

    /** A number against a number. */
    record NumberTest(FieldSlot slot, Operator operator, NumberComparand comparand) implements Condition {
        @Override
        public boolean test() {
            return operator.holds(comparand.compare(slot.value()));
        }
    }

    /** A text, or bytes, against a text. */
    record TextTest(FieldSlot slot, Operator operator, TextComparand comparand) implements Condition {
        @Override
        public boolean test() {
            return operator.holds(comparand.compare(slot.value()));
        }
    }

    /** A boolean against a boolean, for equality or its opposite. */
    record BooleanTest(FieldSlot slot, boolean expected) implements Condition {
        @Override
        public boolean test() {
            FieldValue value = slot.value();
            return value.kind() == FieldValue.Kind.BOOLEAN && (value.longValue() != 0) == expected;
        }
    }

    /** A text, bytes, or the text of a JSON value, against a text query. */
    record TextQueryTest(FieldSlot slot, TextMatcher matcher) implements Condition {
        @Override
        public boolean test() {
            FieldValue value = slot.value();
            return switch (value.kind()) {
                case TEXT, BYTES, JSON -> matcher.matches(value.bytes(), value.offset(), value.length());
                case ABSENT, INTEGER, UNSIGNED, DOUBLE, BOOLEAN -> false;
            };
        }
    }

    /** A text, or bytes, with a text within. */
    record SubstringTest(FieldSlot slot, TextComparand comparand) implements Condition {
        @Override
        public boolean test() {
            return comparand.isWithin(slot.value());
        }
    }
}
