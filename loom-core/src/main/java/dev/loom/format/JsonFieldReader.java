package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Reads the value at a path. If several members match, the one with the longest name wins, and among equal names the
 * first. A null at the end of the path counts as a match without a value. The reader stops as soon as the winner is
 * certain, so the rest may be malformed.
 *
 * <p>If the path names a member and the reader meets an array, it continues in each element. The value is then an array
 * of the values found, without nulls.
 */
final class JsonFieldReader implements FieldReader {
    private enum Outcome {
        FOUND,
        /** No match; the scanner is after the value, which was well-formed. */
        MISSING,
        MALFORMED
    }

    /** What {@link JsonScanner#peek} returns at the payload's end. */
    private static final int END = -1;

    private final JsonPath path;

    JsonFieldReader(String path) {
        this.path = new JsonPath(path);
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        int end = WholePayload.end(buffer, offset, length);
        if (end < 0) {
            into.setAbsent();
            return;
        }
        into.jsonMatches().clear(); // of a read that an error ended
        JsonScanner scanner = into.jsonScanner();
        scanner.wrap(buffer, offset, end);
        if (value(scanner, 0, END, into) != Outcome.FOUND) {
            into.setAbsent();
        }
    }

    /** Looks for the path from {@code segment} on in the next value, within the container that {@code close} ends. */
    private Outcome value(JsonScanner scanner, int segment, int close, FieldValue into) {
        int c = scanner.peekToken();
        if (segment == path.segmentCount()) {
            int start = scanner.position(); // after white space, which peeking has skipped
            if (!readValue(scanner, into)) {
                return Outcome.MALFORMED;
            }
            JsonMatches matches = into.jsonMatches();
            if (matches.collecting() && into.kind() != FieldValue.Kind.ABSENT) {
                matches.add(scanner.buffer(), start, scanner.position() - start);
            }
            return isEnded(scanner.peekToken(), close) ? Outcome.FOUND : Outcome.MALFORMED;
        }
        if (c == '{') {
            return object(scanner, segment, into);
        }
        if (c == '[') {
            return path.element(segment) >= 0 ? array(scanner, segment, into) : elements(scanner, segment, into);
        }
        return scanner.skipValue() ? Outcome.MISSING : Outcome.MALFORMED;
    }

    private static boolean isEnded(int next, int close) {
        return next == close || (next == ',' && close != END);
    }

    private Outcome object(JsonScanner scanner, int segment, FieldValue into) {
        if (!scanner.enter()) {
            return Outcome.MALFORMED;
        }
        if (scanner.leave('}')) {
            return Outcome.MISSING;
        }
        int longest = 0;
        JsonMatches matches = into.jsonMatches();
        int matchesBefore = matches.length();
        do {
            int next = name(scanner, segment, into.jsonName());
            if (next < 0) {
                return Outcome.MALFORMED;
            }
            int start = scanner.position();
            int depth = scanner.depth();
            if (next > longest) {
                int shorterEnd = matches.length();
                Outcome outcome = value(scanner, next, '}', into);
                if (outcome == Outcome.MISSING) {
                    continue;
                }
                matches.remove(matchesBefore, shorterEnd); // drops the matches of a shorter name
                if (outcome == Outcome.MALFORMED || next == path.segmentCount()) {
                    return outcome;
                }
                longest = next;
                scanner.position(start, depth);
            }
            if (!scanner.skipValue()) {
                return Outcome.MALFORMED;
            }
        } while (scanner.peekToken() == ',' && scanner.skipByte(','));
        if (!scanner.leave('}')) {
            return Outcome.MALFORMED;
        }
        return longest > 0 ? Outcome.FOUND : Outcome.MISSING;
    }

    /** Skips a member's name. Returns the segment after it, 0 if the path has another name, -1 if malformed. */
    private int name(JsonScanner scanner, int segment, ExpandableArrayBuffer decoded) {
        if (scanner.peekToken() != '"') {
            return -1;
        }
        int start = scanner.position() + 1;
        if (!scanner.skipString()) {
            return -1;
        }
        int length = scanner.position() - 1 - start;
        int next = scanner.escaped()
                ? path.match(segment, decoded, 0, JsonString.decode(scanner.buffer(), start, start + length, decoded))
                : path.match(segment, scanner.buffer(), start, length);
        return scanner.skipColon() ? Math.max(0, next) : -1;
    }

    private Outcome array(JsonScanner scanner, int segment, FieldValue into) {
        if (!scanner.enter()) {
            return Outcome.MALFORMED;
        }
        if (scanner.leave(']')) {
            return Outcome.MISSING;
        }
        int element = 0;
        do {
            if (element++ == path.element(segment)) {
                Outcome outcome = value(scanner, segment + 1, ']', into);
                if (outcome != Outcome.MISSING) {
                    return outcome;
                }
            } else if (!scanner.skipValue()) {
                return Outcome.MALFORMED;
            }
        } while (scanner.peekToken() == ',' && scanner.skipByte(','));
        return scanner.leave(']') ? Outcome.MISSING : Outcome.MALFORMED;
    }

    /** Continues in each element of an array; the outermost such array sets the value. */
    private Outcome elements(JsonScanner scanner, int segment, FieldValue into) {
        JsonMatches matches = into.jsonMatches();
        boolean outermost = !matches.collecting();
        if (outermost) {
            matches.begin();
        }
        Outcome outcome = eachElement(scanner, segment, into);
        if (outermost && outcome == Outcome.FOUND) {
            matches.end(into);
        } else if (outermost) {
            matches.clear();
        }
        return outcome;
    }

    private Outcome eachElement(JsonScanner scanner, int segment, FieldValue into) {
        if (!scanner.enter()) {
            return Outcome.MALFORMED;
        }
        if (scanner.leave(']')) {
            return Outcome.MISSING;
        }
        Outcome all = Outcome.MISSING;
        do {
            scanner.peekToken();
            int start = scanner.position();
            int depth = scanner.depth();
            Outcome outcome = value(scanner, segment, ']', into);
            if (outcome == Outcome.FOUND) {
                all = outcome;
                scanner.position(start, depth); // the search may have stopped within the element
                outcome = scanner.skipValue() ? outcome : Outcome.MALFORMED;
            }
            if (outcome == Outcome.MALFORMED) {
                return outcome;
            }
        } while (scanner.peekToken() == ',' && scanner.skipByte(','));
        return scanner.leave(']') ? all : Outcome.MALFORMED;
    }

    /** Reads and skips the next value; false if it is malformed. */
    static boolean readValue(JsonScanner scanner, FieldValue into) {
        int first = scanner.peekToken();
        int start = scanner.position();
        switch (first) {
            case '"' -> {
                if (!scanner.skipString()) {
                    return false;
                }
                setText(scanner, start + 1, scanner.position() - 1, into);
            }
            case '{', '[' -> {
                if (!scanner.skipValue()) {
                    return false;
                }
                into.setBytes(FieldValue.Kind.JSON, scanner.buffer(), start, scanner.position() - start);
            }
            case 't', 'f' -> {
                if (!scanner.skipLiteral(first == 't' ? "true" : "false")) {
                    return false;
                }
                into.setBoolean(first == 't');
            }
            case 'n' -> {
                if (!scanner.skipLiteral("null")) {
                    return false;
                }
                into.setAbsent();
            }
            default -> {
                if (!scanner.skipNumber()) {
                    return false;
                }
                JsonNumber.read(scanner.buffer(), start, scanner.position(), into);
            }
        }
        return true;
    }

    private static void setText(JsonScanner scanner, int start, int end, FieldValue into) {
        if (scanner.escaped()) {
            var scratch = into.scratch(end - start);
            int length = JsonString.decode(scanner.buffer(), start, end, scratch);
            into.setBytes(FieldValue.Kind.TEXT, scratch, 0, length);
        } else {
            into.setBytes(FieldValue.Kind.TEXT, scanner.buffer(), start, end - start);
        }
    }
}
