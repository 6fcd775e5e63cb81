package dev.loom.query.where;

/**
 * An expression is malformed. The first line of the message says what was expected and what was found, the second quotes
 * that part of the expression, and the third puts a caret below the position.
 */
public final class WhereSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private static final int CHARS_BEFORE = 60;
    private static final int CHARS_AFTER = 20;
    private static final String CUT = "...";

    /** The position, from 0. */
    private final int position;

    WhereSyntaxException(String problem, String expression, int position) {
        super(problem + "\n" + excerpt(expression, position));
        this.position = position;
    }

    /** The position, in characters (UTF-16 units) from 0; the expression's length if it ends too early. */
    public int position() {
        return position;
    }

    private static String excerpt(String expression, int position) {
        int start = Math.max(0, position - CHARS_BEFORE);
        int end = Math.min(expression.length(), position + CHARS_AFTER);
        StringBuilder excerpt = new StringBuilder(start > 0 ? CUT : "");
        int caret = excerpt.length() + position - start;
        for (int i = start; i < end; i++) {
            // one column each: a character that would move the terminal's cursor becomes a space
            char c = expression.charAt(i);
            excerpt.append(Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? ' ' : c);
        }
        excerpt.append(end < expression.length() ? CUT : "");
        return excerpt.append('\n').append(" ".repeat(caret)).append('^').toString();
    }
}
