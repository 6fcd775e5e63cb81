package dev.loom.cli.logtime;

/**
 * Reads the times of the lines of one log, of which the form is known, and the word at which they begin. For one thread.
 *
 * <p>A line that begins with white space has no time. In front of a time, its word may have a syslog priority, a name as in
 * {@code ts=}, and a bracket or quote. Where other words come before the time, it may begin up to two words later, since names of
 * threads and users may have spaces.
 */
public final class LineTimes {
    /** What a line has for a time. */
    public enum Kind {
        TIME,
        /** The form of a time, but no such time exists, or nanoseconds can't hold it; or syslog's sign that the time is not known. */
        UNPARSED,
        NONE
    }

    /** The last word, counted from 0, at which a time may begin. */
    static final int WORD_MAX = 5;

    private static final int WORDS_LATER_MAX = 2;
    private static final int NAME_LENGTH_MAX = 16;

    private final TimeForm form;
    private final int word;
    private final LogClock clock;
    private final WrittenTime written = new WrittenTime();
    private final long[] timeNs = new long[1];

    LineTimes(TimeForm form, int word, LogClock clock) {
        this.form = form;
        this.word = word;
        this.clock = clock;
    }

    /** Reads the time of a line without its end; lines come in order. */
    public Kind read(byte[] array, int from, int end) {
        int at = word(array, from, end, word);
        int later = word == 0 ? 0 : WORDS_LATER_MAX;
        while (at >= 0 && start(form, array, at, end, written) < 0) {
            at = later-- == 0 ? TimeForm.NONE : word(array, at, end, 1);
        }
        if (at < 0) {
            return hasNilTime(array, from, end) ? Kind.UNPARSED : Kind.NONE;
        }
        return clock.read(written, timeNs) ? Kind.TIME : Kind.UNPARSED;
    }

    /** The last time read, in epoch nanoseconds. */
    public long timeNs() {
        return timeNs[0];
    }

    /** Where a word of the line begins; negative if the line has fewer, or begins with white space. */
    static int word(byte[] array, int from, int end, int word) {
        int at = from;
        for (int i = 0; i < word; i++) {
            while (at < end && !isSpace(array[at])) {
                at++;
            }
            while (at < end && isSpace(array[at])) {
                at++;
            }
        }
        return at >= end || isSpace(array[from]) ? TimeForm.NONE : at;
    }

    /** Where a time begins in a word, whose parts {@code into} gets; negative if there is none. */
    static int start(TimeForm form, byte[] array, int word, int end, WrittenTime into) {
        if (form.read(array, word, end, into) >= 0) {
            return word;
        }
        int at = lead(array, word, end);
        return at > word && form.read(array, at, end, into) >= 0 ? at : TimeForm.NONE;
    }

    private static int lead(byte[] array, int from, int end) {
        int at = from;
        if (end - at > 3 && array[at] == (byte) 0xEF && array[at + 1] == (byte) 0xBB && array[at + 2] == (byte) 0xBF) {
            at += 3;
        }
        at = priority(array, at, end);
        int name = at;
        while (name < end && name - at < NAME_LENGTH_MAX && isName(array[name])) {
            name++;
        }
        if (name > at && name < end && array[name] == '=') {
            at = name + 1;
        }
        boolean opens = at < end && (array[at] == '[' || array[at] == '(' || array[at] == '"' || array[at] == '\'');
        return opens ? at + 1 : at;
    }

    private static int priority(byte[] array, int from, int end) {
        if (from >= end || array[from] != '<') {
            return from;
        }
        int at = from + 1;
        while (at < end && at - from <= 3 && KnownForm.isDigit(array[at])) {
            at++;
        }
        return at < end && at > from + 1 && array[at] == '>' ? at + 1 : from;
    }

    /** Whether it is a message of syslog (RFC 5424) whose time is not known: {@code <34>1 - host}. */
    private static boolean hasNilTime(byte[] array, int from, int end) {
        int version = priority(array, from, end);
        return version > from
                && version + 3 < end
                && KnownForm.isDigit(array[version])
                && array[version + 1] == ' '
                && array[version + 2] == '-'
                && array[version + 3] == ' ';
    }

    private static boolean isName(byte found) {
        int lower = found | 0x20;
        return (lower >= 'a' && lower <= 'z') || found == '_';
    }

    private static boolean isSpace(byte found) {
        return found == ' ' || found == '\t';
    }
}
