package dev.loom.server.prometheus.promql;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An expression as a tree. {@code toString()} writes it so that it parses to an equal one. Immutable. */
public sealed interface Expr {
    ExprType type();

    /** What it is made of. */
    default List<Expr> parts() {
        return List.of();
    }

    /** Labels by their names. */
    private static String names(List<String> labels) {
        return labels.stream().map(Quoted::label).collect(Collectors.joining(", "));
    }

    /** A number. */
    record Literal(double value) implements Expr {
        @Override
        public ExprType type() {
            return ExprType.SCALAR;
        }

        @Override
        public String toString() {
            return PromNumber.plain(value);
        }
    }

    /** A text. */
    record Text(String value) implements Expr {
        @Override
        public ExprType type() {
            return ExprType.STRING;
        }

        @Override
        public String toString() {
            return Quoted.of(value);
        }
    }

    /**
     * Selects series: the last value of each, or all of a time.
     *
     * @param rangeMs 0 for the last value
     * @param offsetMs how far it looks back, which may be negative
     */
    record Selector(List<Matcher> matchers, long rangeMs, long offsetMs) implements Expr {
        @Override
        public ExprType type() {
            return rangeMs > 0 ? ExprType.MATRIX : ExprType.VECTOR;
        }

        /** The name of the metric, if it is one and plain; otherwise empty. */
        String name() {
            return matchers.stream()
                    .filter(each -> each.label().equals(Labels.NAME) && each.operator() == Matcher.Operator.EQUAL)
                    .map(Matcher::value)
                    .filter(name -> name.matches("[a-zA-Z_:][a-zA-Z0-9_:]*"))
                    .findFirst()
                    .orElse("");
        }

        @Override
        public String toString() {
            String name = name();
            String rest = matchers.stream()
                    .filter(each -> name.isEmpty()
                            || each.operator() != Matcher.Operator.EQUAL
                            || !each.label().equals(Labels.NAME))
                    .map(Matcher::toString)
                    .collect(Collectors.joining(","));
            return name
                    + (rest.isEmpty() && !name.isEmpty() ? "" : "{" + rest + "}")
                    + (rangeMs > 0 ? "[" + Durations.text(rangeMs) + "]" : "")
                    + (offsetMs == 0 ? "" : " offset " + Durations.text(offsetMs));
        }
    }

    /** Calls a function. */
    record Call(Function function, List<Expr> arguments) implements Expr {
        @Override
        public ExprType type() {
            return function.result();
        }

        @Override
        public List<Expr> parts() {
            return arguments;
        }

        @Override
        public String toString() {
            return function.text() + arguments.stream().map(Expr::toString).collect(Collectors.joining(", ", "(", ")"));
        }
    }

    /**
     * Brings series together.
     *
     * @param parameter of {@code topk}, {@code bottomk} and {@code quantile}
     * @param labels by which, or without which, there are groups
     */
    record Aggregate(
            Aggregation operator, Expr of, @Nullable Expr parameter, List<String> labels, boolean without)
            implements Expr {
        @Override
        public ExprType type() {
            return ExprType.VECTOR;
        }

        @Override
        public List<Expr> parts() {
            return parameter == null ? List.of(of) : List.of(parameter, of);
        }

        @Override
        public String toString() {
            String name = operator.name().toLowerCase(Locale.ROOT);
            String groups =
                    labels.isEmpty() && !without ? "" : (without ? " without (" : " by (") + names(labels) + ") ";
            return name + groups + "(" + (parameter == null ? "" : parameter + ", ") + of + ")";
        }
    }

    /**
     * Combines two values.
     *
     * @param matching how vectors find each other
     * @param bool whether a comparison gives 0 or 1 instead of choosing
     */
    record Binary(Operator operator, Expr left, Expr right, Matching matching, boolean bool) implements Expr {
        /**
         * Which labels have to agree.
         *
         * @param on whether the labels named have to, or all others
         */
        record Matching(boolean on, List<String> labels) {
            static final Matching ALL = new Matching(false, List.of());

            @Override
            public String toString() {
                return equals(ALL) ? "" : (on ? " on (" : " ignoring (") + names(labels) + ")";
            }
        }

        @Override
        public ExprType type() {
            boolean scalars = left.type() == ExprType.SCALAR && right.type() == ExprType.SCALAR;
            return scalars ? ExprType.SCALAR : ExprType.VECTOR;
        }

        @Override
        public List<Expr> parts() {
            return List.of(left, right);
        }

        @Override
        public String toString() {
            return left + " " + operator.text() + (bool ? " bool" : "") + matching + " " + right;
        }
    }

    /** The negative. */
    record Negative(Expr of) implements Expr {
        @Override
        public ExprType type() {
            return of.type();
        }

        @Override
        public List<Expr> parts() {
            return List.of(of);
        }

        @Override
        public String toString() {
            return "-" + of;
        }
    }

    /** An expression in parentheses. */
    record Parentheses(Expr of) implements Expr {
        @Override
        public ExprType type() {
            return of.type();
        }

        @Override
        public List<Expr> parts() {
            return List.of(of);
        }

        @Override
        public String toString() {
            return "(" + of + ")";
        }
    }
}
