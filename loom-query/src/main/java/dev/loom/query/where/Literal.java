package dev.loom.query.where;

import dev.loom.api.ValueUnit;
import java.math.BigDecimal;

/** A value in an expression. {@code toString()} gives it as written in an expression. */
public sealed interface Literal {
    /**
     * A number with its unit multiplied in: {@code 50ms} is 50,000,000.
     *
     * @param integral whether it was written without fraction and exponent, so that floating-point values also compare with
     *     it exactly
     * @param unit {@link ValueUnit#NANOSECONDS} or {@link ValueUnit#BYTES} if it was written with a unit, otherwise {@link
     *     ValueUnit#NONE}
     */
    record Numeric(BigDecimal value, boolean integral, ValueUnit unit) implements Literal {
        /** A number without a unit. */
        public Numeric(BigDecimal value, boolean integral) {
            this(value, integral, ValueUnit.NONE);
        }

        public Numeric {
            if (integral && value.scale() != 0) {
                throw new IllegalArgumentException("integral literal has a scale: value=" + value);
            }
        }

        /**
         * Parses a number as expressions write it: {@code 50ms}, {@code 1.5e3}, {@code -2}.
         *
         * @throws IllegalArgumentException if the text is no number
         */
        public static Numeric parse(String text) {
            Lexer lexer = new Lexer(text);
            Numeric number = lexer.next().number();
            if (number == null || lexer.next().kind() != TokenKind.END) {
                throw new IllegalArgumentException("not a number: " + text + "; for example 5000 or 50ms");
            }
            return number;
        }

        @Override
        public String toString() {
            String text = value.toString();
            boolean written = integral || text.indexOf('.') >= 0 || text.indexOf('E') >= 0;
            return (written ? text : text + "e0") + unitText();
        }

        /**
         * The same number in a field's unit. A number without a unit stays as it is; a field without a unit counts in
         * nanoseconds or bytes.
         *
         * @throws IllegalArgumentException if one is a time and the other a size
         */
        public Numeric in(String field, ValueUnit ofField) {
            if (unit == ValueUnit.NONE) {
                return this;
            }
            boolean bytes = ofField == ValueUnit.BYTES;
            if (ofField != ValueUnit.NONE && bytes != (unit == ValueUnit.BYTES)) {
                throw new IllegalArgumentException(
                        "units can't be compared: field=" + field + ", unit=" + ofField.text() + ", literal=" + this);
            }
            int digits = switch (ofField) {
                case MICROSECONDS -> 3;
                case MILLISECONDS -> 6;
                case SECONDS -> 9;
                case NONE, NANOSECONDS, BYTES -> 0;
            };
            if (digits == 0) {
                return new Numeric(value, integral);
            }
            BigDecimal scaled = value.movePointLeft(digits).stripTrailingZeros();
            return integral && scaled.scale() <= 0 ? new Numeric(scaled.setScale(0), true) : new Numeric(scaled, false);
        }

        private String unitText() {
            return switch (unit) {
                case NANOSECONDS -> "ns";
                case BYTES -> "B";
                default -> "";
            };
        }
    }

    /** A text, written in quotes. */
    record Text(String value) implements Literal {
        @Override
        public String toString() {
            return Quoting.text(value);
        }
    }

    /** {@code true} or {@code false}. */
    record Bool(boolean value) implements Literal {
        @Override
        public String toString() {
            return Boolean.toString(value);
        }
    }
}
