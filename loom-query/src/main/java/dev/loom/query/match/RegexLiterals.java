package dev.loom.query.match;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a regular expression in RE2's syntax requires of a text, as far as is plain to see: literal texts, of which the text index knows
 * words, and which are quickly looked for. Also an upper bound for the size of its automaton. It errs to the side of requiring nothing:
 * groups and classes require nothing, nor does a character that may be left out or repeated join what stands beside it.
 */
public final class RegexLiterals {
    /** The largest automaton: with each character of a text, all of its states may have to be looked at. */
    public static final int SIZE_MAX = 2_000;

    /** The most groups within each other. */
    private static final int DEPTH_MAX = 100;

    /** What RE2 takes for a repetition; any other brace stands for itself. */
    private static final Pattern BRACES = Pattern.compile("\\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?}");

    private final String pattern;
    private int at;
    private int depth;
    private boolean ignoresCase;
    /** Whether something was met that is not understood well enough. */
    private boolean unclear;

    private final Matcher braces;
    private final List<List<String>> alternatives = new ArrayList<>();
    private final long size;

    private RegexLiterals(String pattern) {
        this.pattern = pattern;
        this.braces = BRACES.matcher(pattern);
        this.size = alternation(true);
    }

    /**
     * Looks through an expression that is known to be valid.
     *
     * @throws IllegalArgumentException if its automaton would be larger than {@link #SIZE_MAX}, or if it is nested too deeply
     */
    public static RegexLiterals of(String pattern) {
        RegexLiterals literals = new RegexLiterals(pattern);
        if (literals.size > SIZE_MAX) {
            throw new IllegalArgumentException(
                    "regular expression is too large: states=" + literals.size + ", max=" + SIZE_MAX);
        }
        return literals;
    }

    /** Texts of which a match has all those of one of the lists; of no list if nothing is known. */
    public List<List<String>> alternatives() {
        return unclear ? List.of() : alternatives;
    }

    /** Whether the case of the texts counts. */
    public boolean isCaseSensitive() {
        return !ignoresCase;
    }

    /** Reads alternatives up to the end or a closing parenthesis, and returns their size. */
    private long alternation(boolean outermost) {
        long sum = 0;
        do {
            List<String> runs = new ArrayList<>();
            sum += 1 + sequence(runs);
            if (outermost) {
                alternatives.add(runs);
            }
        } while (skip('|'));
        if (outermost && at < pattern.length()) {
            throw new IllegalArgumentException("not a regular expression: a parenthesis closes nothing: at=" + at);
        }
        return Math.min(sum, Integer.MAX_VALUE);
    }

    private long sequence(List<String> runs) {
        StringBuilder run = new StringBuilder();
        long sum = 0;
        while (at < pattern.length() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
            int before = run.length();
            long atom = atom(run);
            boolean literal = run.length() > before;
            int least = at < pattern.length() ? pattern.charAt(at) : 0;
            long times = repetition();
            boolean repeated = times > 0;
            if (!literal || repeated) {
                if (literal && least != '+') {
                    run.setLength(before); // it may be left out
                }
                end(run, runs);
            }
            sum = Math.min(Integer.MAX_VALUE, sum + atom * Math.max(1, times));
        }
        end(run, runs);
        return sum;
    }

    private static void end(StringBuilder run, List<String> runs) {
        if (run.length() > 0) {
            runs.add(run.toString());
            run.setLength(0);
        }
    }

    /** Skips repetitions; returns how many times larger they make the automaton, or 0 if there is none. */
    private long repetition() {
        long times = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            if (c == '*' || c == '+' || c == '?') {
                at++;
                times = Math.max(1, times);
            } else if (braces.region(at, pattern.length()).lookingAt()) {
                times = Math.max(1, times) * largest(pattern.substring(at + 1, braces.end() - 1));
                at = braces.end();
            } else {
                break;
            }
        }
        return Math.min(times, Integer.MAX_VALUE);
    }

    /** The largest number in a text such as {@code 2,10}. */
    private static long largest(String numbers) {
        long largest = 1;
        for (String number : numbers.split(",", -1)) {
            boolean small = number.matches("[0-9]{1,6}");
            largest = small ? Math.max(largest, Long.parseLong(number)) : largest;
        }
        return largest;
    }

    /** Reads one character, class or group; adds a character that stands for itself to the run. Returns the size. */
    private long atom(StringBuilder run) {
        int c = pattern.codePointAt(at);
        at += Character.charCount(c);
        switch (c) {
            case '\\' -> {
                return escape(run);
            }
            case '[' -> skipClass();
            case '(' -> {
                return group();
            }
            case '.', '^', '$', '*', '+', '?', '{', '}', ']' -> {
                // they stand for no one character, or are not worth telling when they do
            }
            default -> run.appendCodePoint(c);
        }
        return 1;
    }

    private long group() {
        if (skip('?')) {
            while (at < pattern.length() && ":)>".indexOf(pattern.charAt(at)) < 0) {
                ignoresCase |= pattern.charAt(at) == 'i';
                at++;
            }
            if (skip(')')) {
                return 1;
            }
            at++;
        }
        if (++depth > DEPTH_MAX) {
            throw new IllegalArgumentException("regular expression is nested too deeply, max=" + DEPTH_MAX);
        }
        long inner = alternation(false);
        depth--;
        unclear |= !skip(')');
        return inner;
    }

    private void skipClass() {
        skip('^');
        int from = at;
        while (at < pattern.length() && (pattern.charAt(at) != ']' || at == from)) {
            if (pattern.startsWith("[:", at) && pattern.indexOf(":]", at) >= 0) {
                at = pattern.indexOf(":]", at) + 1;
            } else if (pattern.charAt(at) == '\\') {
                at++;
            }
            at++;
        }
        at++;
    }

    private long escape(StringBuilder run) {
        if (at >= pattern.length()) {
            unclear = true;
            return 1;
        }
        int c = pattern.codePointAt(at);
        at += Character.charCount(c);
        if (c == 'Q') {
            int end = pattern.indexOf("\\E", at);
            int length = (end < 0 ? pattern.length() : end) - at;
            at = end < 0 ? pattern.length() : end + 2;
            unclear = true; // what repeats behind it repeats its last character alone
            return Math.max(1, length);
        } else if (c == 'p' || c == 'P' || c == 'x') {
            skipBraced(c == 'x' ? 2 : 1);
        } else if (Character.isDigit(c)) {
            unclear = true;
        } else if (c < 0x80 && !Character.isLetter(c)) {
            run.appendCodePoint(c);
        }
        return 1;
    }

    private void skipBraced(int otherwise) {
        int end = pattern.indexOf('}', at);
        if (at < pattern.length() && pattern.charAt(at) == '{' && end >= 0) {
            at = end + 1;
        } else {
            at = Math.min(pattern.length(), at + otherwise);
        }
    }

    private boolean skip(char c) {
        boolean there = at < pattern.length() && pattern.charAt(at) == c;
        at += there ? 1 : 0;
        return there;
    }
}
