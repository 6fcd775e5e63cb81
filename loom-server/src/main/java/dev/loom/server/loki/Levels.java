package dev.loom.server.loki;

import dev.loom.format.FieldValue;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.Predicate;

/** The levels of OTLP log records: each stands for four severities. */
final class Levels {
    /** The field of severities. */
    static final String FIELD = "severity";

    private static final String UNKNOWN = "unknown";

    /** All levels. */
    static final List<String> ALL = List.of("trace", "debug", "info", "warn", "error", "fatal", UNKNOWN);

    private static final List<String> NAMES = ALL.subList(0, ALL.size() - 1);

    private static final int STEPS = 4;
    private static final int LAST = NAMES.size() * STEPS;

    private Levels() {}

    static String of(FieldValue severity) {
        long number = severity.kind() == FieldValue.Kind.INTEGER ? severity.longValue() : 0;
        return number < 1 || number > LAST ? UNKNOWN : NAMES.get((int) (number - 1) / STEPS);
    }

    /** The records whose level passes a test. */
    static RecordCondition where(Predicate<String> test) {
        RecordCondition known = RecordCondition.NEVER;
        boolean all = true;
        for (int i = 0; i < NAMES.size(); i++) {
            boolean passes = test.test(NAMES.get(i));
            all &= passes;
            known = passes ? known.or(between(1 + i * STEPS, STEPS + i * STEPS)) : known;
        }
        RecordCondition unknown = between(1, LAST).not();
        if (!test.test(UNKNOWN)) {
            return all ? unknown.not() : known;
        }
        return all ? RecordCondition.ALWAYS : known.or(unknown);
    }

    private static RecordCondition between(int first, int last) {
        return RecordCondition.of(new Where.And(List.of(
                compared(Where.Operator.GREATER_OR_EQUAL, first), compared(Where.Operator.LESS_OR_EQUAL, last))));
    }

    private static Where compared(Where.Operator operator, int number) {
        return new Where.Comparison(FIELD, operator, new Literal.Numeric(BigDecimal.valueOf(number), true));
    }
}
