package dev.loom.server.prometheus.promql;

/** An expression is malformed, or asks for what is not supported. The message says where. */
public final class PromQlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Says where in an expression something is wrong.
     *
     * @param position of the character, from 0
     */
    PromQlException(String expression, int position, String message) {
        super(place(expression, position) + ": parse error: " + message);
    }

    /** Line and column, both from 1. */
    private static String place(String expression, int position) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < Math.min(position, expression.length()); i++) {
            boolean ends = expression.charAt(i) == '\n';
            line += ends ? 1 : 0;
            column = ends ? 1 : column + 1;
        }
        return line + ":" + column;
    }
}
