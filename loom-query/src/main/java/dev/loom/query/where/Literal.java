package dev.loom.query.where;

import java.math.BigDecimal;

/** A value in an expression. Its string is how it is written there. */
public sealed interface Literal {
    /**
     * A number, its unit already multiplied in: {@code 50ms} is 50,000,000.
     *
     * @param integral whether it was written without fraction and exponent, and so is exact to floating-point values too
     */
    record Numeric(BigDecimal value, boolean integral) implements Literal {
        public Numeric {
            if (integral && value.scale() != 0) {
                throw new IllegalArgumentException("integral literal has a scale: value=" + value);
            }
        }

        @Override
        public String toString() {
            String text = value.toString();
            boolean written = integral || text.indexOf('.') >= 0 || text.indexOf('E') >= 0;
            return written ? text : text + "e0";
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
