package dev.loom.cli.logtime;

import java.util.List;

/**
 * A common form, given by a pattern in which each letter reads a part of the time and any other character reads itself:
 *
 * <pre>
 * y year, 4 digits      H hour, 2 digits                    E name of a day, 3 letters
 * Y year, 2 digits      h hour, its first digit or a space  L level, one of IWEF
 * M month, 2 digits     m minute, 2 digits                  T the letter T or a space
 * N month, 3 letters    s second, 2 digits                  f fraction after a point, or a comma if it is no column's, if it is there
 * d day, 2 digits       S second with its colon, if there   i milliseconds, 3 digits, if they are there
 * e day, 1 or 2 digits  # epoch                             z offset, if it is there
 * </pre>
 */
final class KnownForm implements TimeForm {
    private static final int EVERYWHERE = 5;

    /** The number of nanoseconds has 9 digits. */
    private static final int[] POWERS = {
        1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
    };

    private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";

    /** In the order in which they are tried. Those that resemble other numbers are only looked for where a line begins. */
    static final List<KnownForm> ALL = List.of(
            new KnownForm("ISO 8601", "y-M-dTH:mSfz", EVERYWHERE),
            new KnownForm("ISO 8601, basic", "yMdTHmsfz", 1),
            new KnownForm("syslog (RFC 3164)", "N e H:m:sfz", EVERYWHERE),
            new KnownForm("syslog with year", "N e y H:m:sfz", EVERYWHERE),
            new KnownForm("Apache access log", "d/N/y:H:m:sfz", EVERYWHERE),
            new KnownForm("Apache error log", "E N e H:m:sfz yz", EVERYWHERE),
            new KnownForm("glog", "LMd H:m:sf", 0),
            new KnownForm("glog with year", "LyMd H:m:sf", 0),
            new KnownForm("year/month/day", "y/M/d H:m:sfz", EVERYWHERE),
            new KnownForm("year/month/day, two digits", "Y/M/d H:m:sfz", EVERYWHERE),
            new KnownForm("day month year", "e N y H:m:sfz", EVERYWHERE),
            new KnownForm("day-month-year", "d-N-y H:m:sfz", EVERYWHERE),
            new KnownForm("day.month.year", "d.M.y H:m:sfz", 1),
            new KnownForm("date and time of day", "yMd H:m:sfz", 1),
            new KnownForm("digits", "yMdHmsi", 0),
            new KnownForm("HDFS", "YMd Hms", 0),
            new KnownForm("MySQL", "YMd h:m:s", 0),
            new KnownForm("month-day", "M-d H:m:sfz", 0),
            new KnownForm("time of day", "H:m:sfz", 0),
            new KnownForm("epoch", "#", 0));

    private final String name;
    private final char[] parts;
    private final int wordMax;
    /** How many digits a fraction behind a comma has; 0 if a comma ends a column. */
    private final int commaDigits;

    private final boolean lacksYearBehindMonth;

    private KnownForm(String name, String pattern, int wordMax) {
        this(name, pattern.toCharArray(), wordMax, 0);
    }

    private KnownForm(String name, char[] parts, int wordMax, int commaDigits) {
        this.name = name;
        this.parts = parts;
        this.wordMax = wordMax;
        this.commaDigits = commaDigits;
        this.lacksYearBehindMonth = parts[0] == 'N' && pattern().indexOf('y') < 0;
    }

    /** The form in a log whose times all have this number of digits behind a comma: a fraction's if they are milli-, micro- or nanoseconds. */
    KnownForm withCommaDigits(int digits) {
        return digits == 3 || digits == 6 || digits == 9 ? new KnownForm(name, parts, wordMax, digits) : this;
    }

    @Override
    public String name() {
        return name;
    }

    String pattern() {
        return new String(parts);
    }

    @Override
    public int wordMax() {
        return wordMax;
    }

    @Override
    public int read(byte[] array, int from, int end, WrittenTime into) {
        into.clear();
        int at = from;
        for (int i = 0; i < parts.length && at >= 0; i++) {
            at = part(parts[i], array, at, end, into);
        }
        boolean cut = at < 0 || (at < end && isDigit(array[at]));
        return cut || isHalfDay(array, at, end, into) || isOfDateCommand(array, from, at, end) ? NONE : at;
    }

    /**
     * Whether AM or PM follows, without which the time would be hours wrong; {@code --time-pattern} reads both. A time with an offset is
     * of a whole day: the kernel writes {@code PM: suspend entry} behind it.
     */
    private static boolean isHalfDay(byte[] array, int at, int end, WrittenTime time) {
        int half = at < end && array[at] == ' ' ? at + 1 : at;
        return time.lacksOffset()
                && time.hour >= 1
                && time.hour <= 12
                && half + 2 <= end
                && "ap".indexOf(array[half] | 0x20) >= 0
                && (array[half + 1] | 0x20) == 'm'
                && (half + 2 == end || (!isLetter(array[half + 2]) && !isDigit(array[half + 2])));
    }

    /** Whether it is {@code Tue Nov 24 18:01:47 CET 2026}, of which the form has not the year, and no zone but UTC. */
    private boolean isOfDateCommand(byte[] array, int from, int at, int end) {
        if (!lacksYearBehindMonth || from < 4 || array[from - 1] != ' ' || letters(array, from - 4, end) < 0) {
            return false;
        }
        int zone = at + 1;
        int zoneEnd = zone;
        while (zoneEnd < end && isLetter(array[zoneEnd])) {
            zoneEnd++;
        }
        int year = zoneEnd > zone ? zoneEnd + 1 : zone;
        return digits(array, year, end, 4) >= 0 && (year + 4 == end || !isDigit(array[year + 4]));
    }

    private static boolean isLetter(byte b) {
        return (b | 0x20) >= 'a' && (b | 0x20) <= 'z';
    }

    private int part(char part, byte[] array, int at, int end, WrittenTime into) {
        return switch (part) {
            case 'y', 'Y', 'M', 'd', 'H', 'm', 's' -> number(part, array, at, end, into);
            case 'N' -> month(array, at, end, into);
            case 'e' -> dayPadded(array, at, end, into);
            case 'h' -> hourPadded(array, at, end, into);
            case 'S' -> secondsIfThere(array, at, end, into);
            case 'f' -> fractionIfThere(array, at, end, into);
            case 'i' -> millisIfThere(array, at, end, into);
            case 'z' -> WrittenOffset.read(array, at, end, into);
            case '#' -> EpochNumber.read(array, at, end, into);
            case 'E' -> letters(array, at, end) < 0 ? NONE : at + 3;
            default -> at < end && fits(part, array[at]) ? at + 1 : NONE;
        };
    }

    private static boolean fits(char part, byte found) {
        return switch (part) {
            case 'L' -> found == 'I' || found == 'W' || found == 'E' || found == 'F';
            case 'T' -> found == 'T' || found == 't' || found == ' ';
            default -> found == part;
        };
    }

    private static int number(char part, byte[] array, int at, int end, WrittenTime into) {
        int length = part == 'y' ? 4 : 2;
        int value = digits(array, at, end, length);
        switch (part) {
            case 'y' -> into.year = value;
            case 'Y' -> into.year = value + 2000;
            case 'M' -> into.month = value;
            case 'd' -> into.day = value;
            case 'H' -> into.hour = value;
            case 'm' -> into.minute = value;
            default -> into.second = value;
        }
        return value < 0 ? NONE : at + length;
    }

    private static int secondsIfThere(byte[] array, int at, int end, WrittenTime into) {
        boolean colon = at < end && array[at] == ':';
        return colon ? number('s', array, at + 1, end, into) : at;
    }

    private static int millisIfThere(byte[] array, int at, int end, WrittenTime into) {
        int millis = digits(array, at, end, 3);
        into.nano = Math.max(0, millis) * 1_000_000;
        return millis < 0 ? at : at + 3;
    }

    private static int dayPadded(byte[] array, int at, int end, WrittenTime into) {
        int start = at < end && array[at] == ' ' ? at + 1 : at;
        int length = start == at && digits(array, at, end, 2) >= 0 ? 2 : 1;
        into.day = digits(array, start, end, length);
        return into.day < 0 ? NONE : start + length;
    }

    private static int hourPadded(byte[] array, int at, int end, WrittenTime into) {
        boolean padded = at < end && array[at] == ' ';
        into.hour = padded ? digits(array, at + 1, end, 1) : digits(array, at, end, 2);
        return into.hour < 0 ? NONE : at + 2;
    }

    /** Another word than a month's name is month 0, which is out of range. */
    private static int month(byte[] array, int at, int end, WrittenTime into) {
        int name = letters(array, at, end);
        if (name < 0) {
            return NONE;
        }
        int month = 0;
        for (int i = 0; i < 12 && month == 0; i++) {
            int known = MONTHS.charAt(3 * i) << 16 | MONTHS.charAt(3 * i + 1) << 8 | MONTHS.charAt(3 * i + 2);
            month = known == name ? i + 1 : 0;
        }
        into.month = month;
        return at + 3;
    }

    /** Three letters in lower case, as one number. */
    private static int letters(byte[] array, int at, int end) {
        int letters = 0;
        for (int i = at; i < at + 3; i++) {
            int lower = i < end ? array[i] | 0x20 : 0;
            if (lower < 'a' || lower > 'z') {
                return NONE;
            }
            letters = letters << 8 | lower;
        }
        return letters;
    }

    private int fractionIfThere(byte[] array, int at, int end, WrittenTime into) {
        if (at < end && array[at] == ',') {
            int next = at + 1;
            while (next < end && isDigit(array[next])) {
                next++;
            }
            into.commaDigits = next - at - 1;
            return into.commaDigits == commaDigits ? fraction(array, at, end, into) : at;
        }
        return at < end && array[at] == '.' ? fraction(array, at, end, into) : at;
    }

    /** Reads the digits after a point or comma; those after the ninth count for nothing. */
    static int fraction(byte[] array, int at, int end, WrittenTime into) {
        int next = at + 1;
        int nano = 0;
        while (next < end && isDigit(array[next])) {
            nano = next - at <= 9 ? nano * 10 + array[next] - '0' : nano;
            next++;
        }
        into.nano = nano * POWERS[Math.min(9, next - at - 1)];
        return next == at + 1 ? at : next;
    }

    /** The number that {@code count} digits make; negative if others are among them. */
    static int digits(byte[] array, int at, int end, int count) {
        if (at + count > end) {
            return NONE;
        }
        int number = 0;
        for (int i = at; i < at + count; i++) {
            if (!isDigit(array[i])) {
                return NONE;
            }
            number = number * 10 + array[i] - '0';
        }
        return number;
    }

    static boolean isDigit(byte found) {
        return found >= '0' && found <= '9';
    }
}
