package dev.loom.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a table, determined from its first rows: which columns are shown, their widths, and the visible part of their
 * cells.
 */
final class TableLayout {
    /** Text is not cut below this width while another column can give way. */
    private static final int TEXT_WIDTH_WANTED = 16;

    private static final int TEXT_WIDTH_MIN = 8;

    /** Length of {@code HH:MM:SS.nnnnnnnnn}. */
    private static final int CLOCK_LENGTH = 18;

    private static final int MICROSECONDS_LENGTH = CLOCK_LENGTH - 3;
    private static final int MILLISECONDS_LENGTH = CLOCK_LENGTH - 6;

    private final List<Table.Column> columns;
    private final int gap;
    private final int[] widths;
    private final boolean[] shown;
    /** The common day of each time column. */
    private final @Nullable Day[] days;

    private final @Nullable Day[] wholeDays;
    private final int[] wanted;
    private int spare;

    /**
     * The day that all times of a column share.
     *
     * @param date the date and the {@code T} after it
     * @param zone the offset or {@code Z}
     * @param clockLength length of the time of day
     * @param cut whether times that need more digits lose them
     */
    private record Day(String date, String zone, int clockLength, boolean cut) {
        /** Null if the cells have no common day. */
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

        /** The time of day; the whole time if it is of another day, or the full digits if it is finer than the known times. */
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

    /** Makes the table fit {@code room} terminal columns if possible. */
    void fit(int room) {
        cutTexts(room, TEXT_WIDTH_WANTED);
        for (int i = 0; i < widths.length; i++) {
            shown[i] &= !columns.get(i).spare() || total() <= room;
        }
        cutTimes(room, MICROSECONDS_LENGTH);
        cutTimes(room, MILLISECONDS_LENGTH);
        for (int i = last(); i > 1; i--) {
            shown[i] &= total() <= room;
        }
        widen(room);
        cutTexts(room, TEXT_WIDTH_MIN);
        spare = Math.max(0, room - total());
    }

    /** The room of a line that no column has. Cells wider than the first rows' may take it. */
    int spare() {
        return spare;
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

    /** Gives the room freed by omitted columns to columns that were cut. */
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

    /** Whether everything fits without cuts. */
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

    /** Headings of the omitted columns. */
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

    /** The last shown column. */
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
     * The visible part of a cell; if it is cut, the part with the highlighted match.
     *
     * @param cuts whether text is cut to the column's width
     * @param more how much wider it may be
     */
    String cell(int column, String cell, boolean cuts, int more) {
        String whole = wholeCell(column, cell);
        int width = widths[column] + more;
        if (!cuts || columns.get(column).kind() != Table.Kind.TEXT || TextWidth.of(whole) <= width) {
            return whole;
        }
        return TextWidth.cut(whole, from(whole, columns.get(column).matches(), width), width);
    }

    /** Where the visible part begins: at the start, unless that would cut off a match. */
    private static int from(String text, @Nullable Pattern matches, int width) {
        Matcher found = matches == null ? null : matches.matcher(text);
        if (found == null || !found.find() || TextWidth.of(text.substring(0, found.end())) < width) {
            return 0;
        }
        int before = Math.max(0, (width - TextWidth.of(found.group()) - 2) / 2);
        int from = text.offsetByCodePoints(found.start(), -Math.min(before, text.codePointCount(0, found.start())));
        // don't scroll past the text's end
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
