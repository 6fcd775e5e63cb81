package dev.loom.server.prometheus.promql;

import static dev.loom.server.prometheus.promql.ExprType.MATRIX;
import static dev.loom.server.prometheus.promql.ExprType.SCALAR;
import static dev.loom.server.prometheus.promql.ExprType.STRING;
import static dev.loom.server.prometheus.promql.ExprType.VECTOR;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A function: what it takes, and what it gives. */
public enum Function {
    RATE(MATRIX),
    INCREASE(MATRIX),
    DELTA(MATRIX),
    IRATE(MATRIX),
    IDELTA(MATRIX),
    CHANGES(MATRIX),
    RESETS(MATRIX),
    COUNT_OVER_TIME(MATRIX),
    SUM_OVER_TIME(MATRIX),
    AVG_OVER_TIME(MATRIX),
    MIN_OVER_TIME(MATRIX),
    MAX_OVER_TIME(MATRIX),
    LAST_OVER_TIME(MATRIX),
    PRESENT_OVER_TIME(MATRIX),
    STDDEV_OVER_TIME(MATRIX),
    STDVAR_OVER_TIME(MATRIX),
    QUANTILE_OVER_TIME(SCALAR, MATRIX),
    HISTOGRAM_QUANTILE(SCALAR, VECTOR),
    HISTOGRAM_COUNT(VECTOR),
    HISTOGRAM_SUM(VECTOR),
    HISTOGRAM_AVG(VECTOR),
    ABS(VECTOR),
    CEIL(VECTOR),
    FLOOR(VECTOR),
    EXP(VECTOR),
    SQRT(VECTOR),
    LN(VECTOR),
    LOG2(VECTOR),
    LOG10(VECTOR),
    SGN(VECTOR),
    ROUND(1, VECTOR, VECTOR, SCALAR),
    CLAMP(VECTOR, SCALAR, SCALAR),
    CLAMP_MIN(VECTOR, SCALAR),
    CLAMP_MAX(VECTOR, SCALAR),
    SORT(VECTOR),
    SORT_DESC(VECTOR),
    TIMESTAMP(VECTOR),
    LABEL_REPLACE(VECTOR, STRING, STRING, STRING, STRING),
    VECTOR_OF("vector", VECTOR, SCALAR),
    SCALAR_OF("scalar", SCALAR, VECTOR),
    TIME(0, SCALAR);

    private final String text;
    private final ExprType result;
    private final int least;

    @SuppressWarnings("ImmutableEnumChecker") // a copy
    private final List<ExprType> parameters;

    Function(ExprType... parameters) {
        this(parameters.length, VECTOR, parameters);
    }

    Function(int least, ExprType result, ExprType... parameters) {
        text = name().toLowerCase(Locale.ROOT);
        this.result = result;
        this.least = least;
        this.parameters = List.of(parameters);
    }

    Function(String text, ExprType result, ExprType parameter) {
        this.text = text;
        this.result = result;
        least = 1;
        parameters = List.of(parameter);
    }

    /** Its name. */
    public String text() {
        return text;
    }

    ExprType result() {
        return result;
    }

    /** The fewest arguments. */
    int least() {
        return least;
    }

    List<ExprType> parameters() {
        return parameters;
    }

    /** Whether it takes the samples of a time. */
    boolean isOfRange() {
        return parameters.contains(MATRIX);
    }

    /** The one of a name; null if there is none. */
    static @Nullable Function of(String name) {
        for (Function each : values()) {
            if (each.text.equals(name)) {
                return each;
            }
        }
        return null;
    }
}
