package dev.loom.cli.logtime;

/**
 * The offset from UTC behind a time of day: {@code Z}, {@code +02}, {@code +0200} or {@code +02:00} directly behind it; behind a space
 * {@code +0200} or {@code +02:00}; behind either {@code UTC} or {@code GMT}. Names of other zones are ambiguous, and not read; nor is the
 * end of a range, as in {@code 18:01:47-18:02:10}.
 */
final class WrittenOffset {
    /** The greatest offset. All are quarters of an hour. */
    private static final int MINUTES_MAX = 18 * 60;

    private WrittenOffset() {}

    /** Where the offset ends; {@code at} if there is none. */
    static int read(byte[] array, int at, int end, WrittenTime into) {
        boolean space = at < end && array[at] == ' ';
        int start = space ? at + 1 : at;
        if (start >= end) {
            return at;
        }
        byte first = array[start];
        if (first == '+' || first == '-') {
            return signed(array, at, end, space, into);
        } else if ((first == 'Z' || first == 'z') && !space && endsWord(array, start + 1, end)) {
            into.offsetSeconds = 0;
            return start + 1;
        }
        boolean utc = is(array, start, end, 'U', 'T', 'C') || is(array, start, end, 'G', 'M', 'T');
        if (utc && endsWord(array, start + 3, end)) {
            into.offsetSeconds = 0;
            return start + 3;
        }
        return at;
    }

    private static int signed(byte[] array, int at, int end, boolean space, WrittenTime into) {
        int start = (space ? at + 1 : at) + 1;
        int hours = KnownForm.digits(array, start, end, 2);
        int colon = start + 2 < end && array[start + 2] == ':' ? 1 : 0;
        int minutes = KnownForm.digits(array, start + 2 + colon, end, 2);
        if (hours < 0 || (minutes < 0 && (space || colon == 1))) {
            return at;
        }
        int next = minutes < 0 ? start + 2 : start + 4 + colon;
        boolean isTime = next + 1 < end && array[next] == ':' && KnownForm.isDigit(array[next + 1]);
        if (isTime || !endsWord(array, next, end)) {
            return at;
        }
        int offsetMinutes = hours * 60 + Math.max(0, minutes);
        boolean negative = array[start - 1] == '-';
        if ((space || negative) && (minutes % 15 > 0 || minutes > 45 || offsetMinutes > MINUTES_MAX)) {
            return at; // a number, or the end of a range
        }
        // minutes beyond 59 are beyond the greatest offset too
        int seconds = minutes > 59 ? Integer.MAX_VALUE : offsetMinutes * 60;
        into.offsetSeconds = negative ? -seconds : seconds;
        return next;
    }

    private static boolean is(byte[] array, int at, int end, char first, char second, char third) {
        return at + 3 <= end && array[at] == first && array[at + 1] == second && array[at + 2] == third;
    }

    private static boolean endsWord(byte[] array, int at, int end) {
        if (at >= end) {
            return true;
        }
        int lower = array[at] | 0x20;
        return !KnownForm.isDigit(array[at]) && (lower < 'a' || lower > 'z') && array[at] != '+' && array[at] != '-';
    }
}
