package dev.loom.query.where;

/** Parses expressions such as {@code latency_ns > 50ms and (op == "GET" or not status in (200, 204))}. */
public final class Where {
    /** The greatest length of an expression, in characters (UTF-16 units). */
    public static final int LENGTH_MAX = 8192;

    /** The greatest nesting depth of {@code not} and parentheses. */
    public static final int DEPTH_MAX = 64;

    private Where() {}

    /**
     * Parses an expression.
     *
     * @throws WhereSyntaxException if it is malformed, too long or nested too deep; the exception gives the position
     */
    public static WhereExpression parse(String expression) {
        if (expression.length() > LENGTH_MAX) {
            throw new WhereSyntaxException(
                    "expression is too long: length=" + expression.length() + ", max=" + LENGTH_MAX,
                    expression,
                    LENGTH_MAX);
        }
        return new Parser(expression).parse();
    }
}
