package dev.loom.server.loki;

import java.math.BigDecimal;

/** Numbers as Loki writes them: the shortest digits that give the same double, never with an exponent. */
final class Numbers {
    private Numbers() {}

    static String text(double value) {
        if (Double.isNaN(value)) {
            return "NaN";
        } else if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        return decimal.signum() == 0 ? "0" : decimal.toPlainString();
    }
}
