package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A view of a value of kind {@link FieldValue.Kind#JSON}: the elements of an array, and the text as people see it.
 * Allocates nothing once warm. For one thread.
 */
public final class JsonView {
    private final JsonScanner scanner = new JsonScanner();
    private boolean more;

    /** Makes a view of no value. */
    public JsonView() {}

    /** Moves before the first element of an array; an object has none. */
    public void elementsOf(FieldValue json) {
        scanner.wrap(json.bytes(), json.offset(), json.offset() + json.length());
        more = scanner.peekToken() == '[' && scanner.enter() && !scanner.leave(']');
    }

    /**
     * Reads the next element that is not an array; nested arrays contribute their elements in order. False after the
     * last, and if the array is malformed.
     */
    public boolean next(FieldValue into) {
        while (more) {
            if (scanner.peekToken() != '[') {
                more = JsonFieldReader.readValue(scanner, into);
                boolean read = more;
                more = more && isFollowed();
                return read;
            }
            if (!scanner.enter()) {
                more = false;
            } else if (scanner.leave(']')) {
                more = isFollowed();
            }
        }
        return false;
    }

    /** Leaves the arrays that end here, and skips the comma before the next element; false when there is none. */
    private boolean isFollowed() {
        while (scanner.depth() > 0) {
            if (!scanner.leave(']')) {
                return scanner.peekToken() == ',' && scanner.skipByte(',');
            }
        }
        return false;
    }

    /** Whether the stored text is also the printed one: it has no white space between tokens, and no escapes. */
    public static boolean isPlain(FieldValue json) {
        DirectBuffer bytes = json.bytes();
        boolean string = false;
        for (int i = json.offset(), end = i + json.length(); i < end; i++) {
            byte c = bytes.getByte(i);
            if (c == '\\') {
                return false;
            }
            string ^= c == '"';
            if (!string && isSpace(c)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Sets the text as it is printed, without white space between tokens.
     *
     * @param decoded whether to resolve the escapes within strings as well
     */
    public static void visible(FieldValue json, boolean decoded, FieldValue into) {
        DirectBuffer bytes = json.bytes();
        MutableDirectBuffer text = into.scratch(json.length());
        int length = 0;
        int end = json.offset() + json.length();
        for (int i = json.offset(); i < end; ) {
            byte c = bytes.getByte(i);
            if (c != '"') {
                if (!isSpace(c)) {
                    text.putByte(length++, c);
                }
                i++;
                continue;
            }
            int close = endOfString(bytes, i + 1, end);
            text.putByte(length++, c);
            if (decoded && close < end) {
                length += JsonString.decode(bytes, i + 1, close, text, length);
            } else {
                text.putBytes(length, bytes, i + 1, close - i - 1);
                length += close - i - 1;
            }
            if (close < end) {
                text.putByte(length++, c);
            }
            i = close + 1;
        }
        into.setBytes(FieldValue.Kind.TEXT, text, 0, length);
    }

    private static int endOfString(DirectBuffer bytes, int from, int end) {
        int at = from;
        while (at < end && bytes.getByte(at) != '"') {
            at += bytes.getByte(at) == '\\' ? 2 : 1;
        }
        return Math.min(at, end);
    }

    private static boolean isSpace(byte c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r';
    }
}
