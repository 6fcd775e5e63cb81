package dev.loom.server.loki;

import dev.loom.format.Formats;
import dev.loom.query.where.Where;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Regular expressions of labels, which have to match the whole of a text. They are those of expressions, in RE2's syntax. */
final class Regexes {
    private static final String LINE = "line";

    private Regexes() {}

    /** @throws IllegalArgumentException if it is no regular expression, or too large */
    static void check(String regex) {
        new Where.MatchesRegex(LINE, regex);
    }

    /** An expression that finds only whole texts. */
    static String whole(String regex) {
        return "^(?s:" + regex + ")$";
    }

    /** Whether it matches the whole of a text. */
    static boolean matches(String regex, String text) {
        return isIn(whole(regex), text);
    }

    /** Whether it matches somewhere in a text. */
    static boolean isIn(String regex, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new Where.MatchesRegex(LINE, regex).bind(Formats.text()).test(new UnsafeBuffer(bytes), 0, bytes.length);
    }
}
