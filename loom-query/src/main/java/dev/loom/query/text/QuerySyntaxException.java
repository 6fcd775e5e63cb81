package dev.loom.query.text;

/**
 * An expression or a text query is malformed. The message says what was expected and what was found. That of an expression
 * has two lines more: the second quotes that part of it, and the third puts a caret below the position.
 */
public final class QuerySyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** The position, from 0. */
    private final int position;

    /** Makes an error at a position. */
    public QuerySyntaxException(String message, int position) {
        super(message);
        this.position = position;
    }

    /** The position, in characters (UTF-16 units) from 0; the text's length if it ends too early. */
    public int position() {
        return position;
    }
}
