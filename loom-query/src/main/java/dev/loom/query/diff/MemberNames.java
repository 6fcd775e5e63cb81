package dev.loom.query.diff;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.agrona.collections.LongHashSet;

/**
 * Finds the names of the members of JSON objects, each once: of nested objects down to the fourth level, with dots between the names.
 * What is malformed has no names. Allocates nothing for names it knows. For one thread.
 */
final class MemberNames {
    private static final int DEPTH_MAX = 4;

    /** Longer names, with those around them, are not found. */
    static final int LENGTH_MAX = 256;

    private static final Pattern HEX = Pattern.compile("[0-9a-fA-F]{4}");
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final LongHashSet known = new LongHashSet();
    private final byte[] path = new byte[LENGTH_MAX];
    private final byte[] prefix;
    private final Predicate<String> found;
    private DirectBuffer buffer;
    private int at;
    private int end;

    /**
     * @param prefix of all names
     * @param found takes a name; false if it must be asked again when it is met again
     */
    MemberNames(String prefix, DirectBuffer none, Predicate<String> found) {
        this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
        this.found = found;
        buffer = none;
        System.arraycopy(this.prefix, 0, path, 0, this.prefix.length);
    }

    /** Finds the names in a text. */
    void read(DirectBuffer json, int offset, int length) {
        buffer = json;
        at = offset;
        end = offset + length;
        if (token() == '{') {
            object(prefix.length, 1);
        }
    }

    private int token() {
        while (at < end) {
            byte c = buffer.getByte(at);
            if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
                return c;
            }
            at++;
        }
        return -1;
    }

    /** Reads the object at the position; leaves the position behind it. */
    private void object(int pathLength, int depth) {
        at++;
        while (token() == '"') {
            int length = name(pathLength);
            if (token() != ':') {
                at = end;
                return;
            }
            at++;
            if (token() == '{' && depth < DEPTH_MAX && length >= 0 && length < LENGTH_MAX) {
                path[length] = '.';
                int before = at;
                object(length + 1, depth + 1);
                if (at - before == 2) {
                    report(length); // an empty object is a value
                }
            } else {
                if (length >= 0) {
                    report(length);
                }
                skipValue();
            }
            if (token() == ',') {
                at++;
                token();
            }
        }
        at++;
    }

    /** Appends a name to the path; returns its length, or -1 if it is too long. */
    private int name(int pathLength) {
        int start = at + 1;
        skipString();
        int length = at - 1 - start;
        boolean escaped = false;
        for (int i = start; i < at - 1; i++) {
            escaped |= buffer.getByte(i) == '\\';
        }
        if (escaped) {
            byte[] name =
                    unescaped(buffer.getStringWithoutLengthUtf8(start, length)).getBytes(StandardCharsets.UTF_8);
            if (pathLength + name.length > LENGTH_MAX) {
                return -1;
            }
            System.arraycopy(name, 0, path, pathLength, name.length);
            return pathLength + name.length;
        }
        if (length < 0 || pathLength + length > LENGTH_MAX) {
            return -1;
        }
        buffer.getBytes(start, path, pathLength, length);
        return pathLength + length;
    }

    private static String unescaped(String name) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '\\' || i + 1 == name.length()) {
                text.append(c);
                continue;
            }
            char escape = name.charAt(++i);
            if (escape == 'u' && HEX.matcher(name).region(i + 1, name.length()).lookingAt()) {
                text.append((char) Integer.parseInt(name.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                int known = "bfnrt".indexOf(escape);
                text.append(known < 0 ? escape : "\b\f\n\r\t".charAt(known));
            }
        }
        int[] decoded = text.codePoints() // half a surrogate pair is U+FFFD, as where the member is read
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
                .toArray();
        return new String(decoded, 0, decoded.length);
    }

    private void report(int length) {
        long hash = length;
        for (int i = 0; i < length; i++) {
            hash = (hash ^ path[i]) * MULTIPLIER;
            hash ^= hash >>> 29;
        }
        if (!known.contains(hash) && found.test(new String(Arrays.copyOf(path, length), StandardCharsets.UTF_8))) {
            known.add(hash);
        }
    }

    /** Skips a string, from quote to quote. */
    private void skipString() {
        at++;
        while (at < end) {
            byte c = buffer.getByte(at++);
            if (c == '"') {
                return;
            } else if (c == '\\') {
                at++;
            }
        }
        at = end;
    }

    private void skipValue() {
        int depth = 0;
        do {
            int c = token();
            if (c == '"') {
                skipString();
            } else if (c == '{' || c == '[') {
                depth++;
                at++;
            } else if (c == '}' || c == ']') {
                depth--;
                at++;
            } else if (depth > 0) {
                at++;
            } else {
                while (at < end && ",}] \n\t\r".indexOf(buffer.getByte(at)) < 0) {
                    at++;
                }
            }
        } while (depth > 0 && at < end);
    }
}
