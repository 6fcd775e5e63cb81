package dev.loom.cli.output;

import dev.loom.cli.text.TextWidth;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How wide the columns of a table are, which of them are shown, and what of their cells; learnt from its first rows. */
final class TableLayout {
    /** Text is not cut to less while another column can give way. */
    private static final int TEXT_WIDTH_WANTED = 16;

    private static final int TEXT_WIDTH_MIN = 8;

    /** Of {@code HH:MM:SS.nnnnnnnnn}. */
    private static final int CLOCK_LENGTH = 18;

    private static final int MICROSECONDS_LENGTH = CLOCK_LENGTH - 3;
    private static final int MILLISECONDS_LENGTH = CLOCK_LENGTH - 6;

    private final List<Table.Column> columns;
    private final int gap;
    private final int[] widths;
    private final boolean[] shown;
    /** Of columns of times. */
    private final @Nullable Day[] days;

    private final @Nullable Day[] wholeDays;
    private final int[] wanted;
    /**
     * The day that the times of a column have in common.
     *
     * @param date with the {@code T} behind it
     * @param zone with sign or {@code Z}
     * @param clockLength of the time of day
     * @param cut whether times that need more digits lose them
     */
    private record Day(String date, String zone, int clockLength, boolean cut) {
        /** Null where the cells have no day in common. */
        static @Nullable Day of(List<String> cells) {
            List<String> times = cells.stream().filter(cell -> !cell.isEmpty()).toList();
            if (times.isEmpty()) {
                return null;
            }
            String first = times.get(0);
            int clock = first.indexOf('T') + 1;
            String date = first.substring(0, clock);
            String zone = first.substring(clock + CLOCK_LENGTH);
            Day whole = new Day(date, zone, CLOCK_LENGTH, false);
            if (!times.stream().allMatch(whole::has)) {
                return null;
            }
            int length = CLOCK_LENGTH;
            while (length > MILLISECONDS_LENGTH && endWith(times, clock, length, "000")) {
                length -= 3;
            }
            return new Day(date, zone, length, false);
        }

        Day cutTo(int length) {
            return length < clockLength ? new Day(date, zone, length, true) : this;
        }

        private static boolean endWith(List<String> times, int clock, int length, String zeros) {
            return times.stream().allMatch(time -> time.startsWith(zeros, clock + length - zeros.length()));
        }

        private boolean has(String time) {
            return time.startsWith(date)
                    && time.endsWith(zone)
                    && time.length() == date.length() + CLOCK_LENGTH + zone.length();
        }

        /** The time of day, or of another day, or finer than those that were known, the whole time. */
        String shortened(String time) {
            if (!has(time)) {
                return time;
            }
            int end = date.length() + clockLength;
            boolean all = cut
                    || time.substring(end, date.length() + CLOCK_LENGTH).chars().allMatch(digit -> digit == '0');
            return time.substring(date.length(), all ? end : date.length() + CLOCK_LENGTH);
        }

        String heading(String name) {
            return name + ' ' + date.substring(0, date.length() - 1) + zone;
        }
    }

    TableLayout(List<Table.Column> columns, List<List<String>> rows, int gap) {
        this.columns = columns;
        this.gap = gap;
        this.widths = new int[columns.size()];
        this.shown = new boolean[columns.size()];
        this.days = new Day[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            List<String> cells = rows.stream().map(row -> row.get(column)).toList();
            days[i] = columns.get(i).kind() == Table.Kind.TIME ? Day.of(cells) : null;
            shown[i] = true;
            widths[i] = Math.max(
                    TextWidth.of(wholeHeading(i)),
                    cells.stream()
                            .mapToInt(cell -> TextWidth.of(wholeCell(column, cell)))
                            .max()
                            .orElse(0));
        }
        this.wanted = widths.clone();
        this.wholeDays = days.clone();
    }

    private String wholeHeading(int column) {
        Day day = days[column];
        String name = columns.get(column).heading();
        return day == null ? name : day.heading(name);
    }

    private String wholeCell(int column, String cell) {
        Day day = days[column];
        return day == null ? cell : day.shortened(cell);
    }

    /** Makes all fit into so many columns of the terminal, if it can be. */
    void fit(int room) {
        cutTexts(room, TEXT_WIDTH_WANTED);
        for (int i = 0; i < widths.length; i++) {
            leaveOut(i, columns.get(i).spare() && total() > room);
        }
        cutTimes(room, MICROSECONDS_LENGTH);
        cutTimes(room, MILLISECONDS_LENGTH);
        for (int i = last(); i > 1; i--) {
            leaveOut(i, total() > room);
        }
        widen(room);
        cutTexts(room, TEXT_WIDTH_MIN);
    }

    private void cutTimes(int room, int clockLength) {
        for (int i = 0; i < widths.length; i++) {
            Day day = days[i];
            if (day != null && total() > room) {
                Day coarse = day.cutTo(clockLength);
                days[i] = coarse;
                widths[i] = Math.max(coarse.clockLength(), TextWidth.of(wholeHeading(i)));
            }
        }
    }

    private void leaveOut(int column, boolean out) {
        if (out && shown[column]) {
            shown[column] = false;
        }
    }

    private void cutTexts(int room, int least) {
        int total = total();
        while (total > room) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                boolean narrower = shown[i] && columns.get(i).kind() == Table.Kind.TEXT && widths[i] > least;
                widest = narrower && (widest < 0 || widths[i] > widths[widest]) ? i : widest;
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
            total--;
        }
    }

    /** Gives the room that is left by what was left out to what was cut. */
    private void widen(int room) {
        int left = room - total();
        for (int i = 0; i < widths.length; i++) {
            boolean time = days[i] != null;
            int more = Math.min(left, wanted[i] - widths[i]);
            if (shown[i] && more > 0 && (!time || more == wanted[i] - widths[i])) {
                widths[i] += more;
                days[i] = wholeDays[i];
                left -= more;
            }
        }
    }

    /** Whether all of it fits, without cuts. */
    boolean fits(int room) {
        return total() <= room;
    }

    private int total() {
        int total = -gap;
        for (int i = 0; i < widths.length; i++) {
            total += shown[i] ? widths[i] + gap : 0;
        }
        return total;
    }

    /** Headings of the columns that are not shown. */
    List<String> leftOut() {
        List<String> leftOut = new ArrayList<>();
        for (int i = 0; i < shown.length; i++) {
            if (!shown[i]) {
                leftOut.add(columns.get(i).heading());
            }
        }
        return leftOut;
    }

    boolean shows(int column) {
        return shown[column];
    }

    /** The last column that is shown. */
    int last() {
        int last = widths.length - 1;
        while (last > 0 && !shown[last]) {
            last--;
        }
        return last;
    }

    int width(int column) {
        return widths[column];
    }

    String heading(int column) {
        return TextWidth.cut(wholeHeading(column), 0, widths[column]);
    }

    /**
     * What is shown of a cell: of one that is cut the part with what is highlighted.
     *
     * @param cuts whether text is cut to the column's width
     */
    String cell(int column, String cell, boolean cuts) {
        String whole = wholeCell(column, cell);
        int width = widths[column];
        if (!cuts || columns.get(column).kind() != Table.Kind.TEXT || TextWidth.of(whole) <= width) {
            return whole;
        }
        return TextWidth.cut(whole, from(whole, columns.get(column).matches(), width), width);
    }

    /** Where the part begins that is shown: at the beginning, unless a match would be cut off then. */
    private static int from(String text, @Nullable Pattern matches, int width) {
        Matcher found = matches == null ? null : matches.matcher(text);
        if (found == null || !found.find() || TextWidth.of(text.substring(0, found.end())) < width) {
            return 0;
        }
        int before = Math.max(0, (width - TextWidth.of(found.group()) - 2) / 2);
        int from = text.offsetByCodePoints(found.start(), -Math.min(before, text.codePointCount(0, found.start())));
        // the end of a text is not left of the middle
        int tail = text.length();
        int room = width - 1;
        while (tail > 0 && room - TextWidth.of(text.substring(text.offsetByCodePoints(tail, -1), tail)) >= 0) {
            int step = text.offsetByCodePoints(tail, -1);
            room -= TextWidth.of(text.substring(step, tail));
            tail = step;
        }
        return Math.min(from, tail);
    }
}
