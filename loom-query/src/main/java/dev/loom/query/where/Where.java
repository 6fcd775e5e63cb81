package dev.loom.query.where;

/** Parses expressions such as {@code latency_ns > 50ms and (op == "GET" or not status in (200, 204))}. */
public final class Where {
    /** The longest expression, in characters (UTF-16 units). */
    public static final int LENGTH_MAX = 8192;

    /** How deep {@code not} and parentheses may be nested. */
    public static final int DEPTH_MAX = 64;

    private Where() {}

    /**
     * Parses an expression.
     *
     * @throws WhereSyntaxException if it is not well-formed, nested too deep or too long; with the place
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
