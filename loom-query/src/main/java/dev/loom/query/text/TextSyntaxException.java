package dev.loom.query.text;

/** A text query is malformed. The message says what is wrong, and where. */
public final class TextSyntaxException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final int position;

    TextSyntaxException(String problem, String query, int position) {
        super(problem + ": position=" + position + ", query=" + query);
        this.position = position;
    }

    /** The position in the query, in characters (UTF-16 units). */
    public int position() {
        return position;
    }
}
