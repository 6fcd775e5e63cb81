package dev.loom.query.where;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.loom.query.match.RegexLiterals;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds a regular expression within a text, in time linear to the text whatever the expression. Looks for a literal text that a match must
 * have first, and allocates only where it is.
 */
final class RegexFinder implements TextFinder {
    /** What the pattern reads in place of bytes that are not UTF-8; a literal is looked for in the bytes. */
    private static final String REPLACEMENT = "\uFFFD";

    private final Pattern pattern;
    private final @Nullable Substring required;

    RegexFinder(String regex) {
        pattern = Pattern.compile(regex);
        RegexLiterals literals = RegexLiterals.of(regex);
        List<List<String>> alternatives = literals.alternatives();
        required = alternatives.size() == 1 && literals.isCaseSensitive()
                ? alternatives.get(0).stream()
                        .flatMap(text -> Arrays.stream(text.split(REPLACEMENT, -1)))
                        .filter(text -> !text.isEmpty())
                        .max(Comparator.comparingInt(String::length))
                        .map(Substring::new)
                        .orElse(null)
                : null;
    }

    /** @throws IllegalArgumentException if it is no regular expression, or too large */
    static void check(String regex) {
        try {
            RegexLiterals.of(regex); // first, as a large one takes all memory
            Pattern.compile(regex);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException("not a regular expression: " + e.getMessage(), e);
        }
    }

    @Override
    public boolean isWithin(DirectBuffer value, int offset, int length) {
        if (required != null && !required.isWithin(value, offset, length)) {
            return false;
        }
        byte[] text = new byte[length];
        value.getBytes(offset, text);
        return pattern.matcher(valid(text)).find();
    }

    /** RE2 takes what follows a byte that is not UTF-8 for a part of one character. */
    private static byte[] valid(byte[] text) {
        for (byte b : text) {
            if (b < 0) {
                return new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
            }
        }
        return text;
    }
}
