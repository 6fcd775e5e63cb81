package dev.loom.query.where;

import dev.loom.api.ValueUnit;
import java.math.BigDecimal;

/** A value in an expression. Its string is how it is written there. */
public sealed interface Literal {
    /**
     * A number, its unit already multiplied in: {@code 50ms} is 50,000,000.
     *
     * @param integral whether it was written without fraction and exponent, and so is exact to floating-point values too
     * @param unit {@link ValueUnit#NANOSECONDS} or {@link ValueUnit#BYTES} of one that was written with a unit, else none
     */
    record Numeric(BigDecimal value, boolean integral, ValueUnit unit) implements Literal {
        /** One without a unit. */
        public Numeric(BigDecimal value, boolean integral) {
            this(value, integral, ValueUnit.NONE);
        }

        public Numeric {
            if (integral && value.scale() != 0) {
                throw new IllegalArgumentException("integral literal has a scale: value=" + value);
            }
        }

        @Override
        public String toString() {
            String text = value.toString();
            boolean written = integral || text.indexOf('.') >= 0 || text.indexOf('E') >= 0;
            return (written ? text : text + "e0") + unitText();
        }

        /**
         * The same number in the unit of a field. One without a unit stays as it is, and a field without one counts in
         * nanoseconds or bytes.
         *
         * @throws IllegalArgumentException for a time and a field of bytes, or the other way round
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

    /** A text, in quotes in an expression. */
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
