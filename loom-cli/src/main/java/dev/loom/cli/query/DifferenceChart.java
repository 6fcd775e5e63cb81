package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.ShareBars;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.KeyText;
import dev.loom.cli.output.TextWidth;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Difference;
import dev.loom.query.Difference.Finding;
import dev.loom.query.Difference.Part;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.server.json.DifferenceRows;
import dev.loom.server.json.FieldCell;
import dev.loom.server.text.TextBuffer;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Draws what differs: for each finding its share of the chosen records and of the others. */
final class DifferenceChart {
    /** Longer durations are taken for times. */
    private static final double DURATION_MAX_S = 1000;

    /** Medians without a unit from here on have all their digits. */
    private static final double PLAIN_MIN = 1e6;

    private final Console console;
    private final Difference.Result found;
    private final DifferenceRequest request;
    private final PayloadFormat format;

    DifferenceChart(Console console, DifferenceRequest request, Difference.Result found) {
        this.console = console;
        this.request = request;
        this.found = found;
        format = request.records().source().format();
    }

    /** Draws the findings; returns their number. */
    long draw() {
        ChartStyle style = new ChartStyle(console.columns(), console.outColour());
        List<ShareBars.Pair> pairs = new ArrayList<>();
        for (Finding finding : DifferenceRows.shown(request, found)) {
            List<String> notes = notes(finding).stream()
                    .map(note -> TextWidth.cut(note, 0, style.width() - 2))
                    .toList();
            pairs.add(new ShareBars.Pair(title(finding, style.width()), finding.selected(), finding.against(), notes));
        }
        String heading = TextWidth.cut(heading(), 0, style.width());
        String chart = ShareBars.draw(heading, pairs, found.selected(), found.against(), style);
        TextBuffer text = new TextBuffer(chart.length());
        text.put(console.unicode() ? chart : ChartStyle.ascii(chart));
        console.out().write(text);
        console.out().flush();
        return pairs.size();
    }

    private String title(Finding finding, int width) {
        String ratio = ratio(finding);
        int room = Math.max(1, width - ratio.length() - 2);
        String label = TextWidth.cut(label(finding.parts(), " and "), 0, room);
        return label + " ".repeat(Math.max(0, room - TextWidth.of(label)) + 2) + ratio;
    }

    private String heading() {
        String fields = found.fields().size() == 1 ? "1 field" : found.fields().size() + " fields";
        return String.format(
                        Locale.ROOT,
                        "%,d chosen, %,d others, compared in %s",
                        found.selected(),
                        found.against(),
                        fields)
                + (found.ignored().isEmpty() ? "" : ", without " + String.join(", ", found.ignored()));
    }

    private String label(List<Part> parts, String between) {
        return parts.stream().map(this::label).collect(Collectors.joining(between));
    }

    private String label(Part part) {
        FieldCell cell = DifferenceRows.value(part, format);
        if (cell != null) {
            return part.field() + " = " + KeyText.of(cell);
        }
        BigDecimal low = part.low();
        BigDecimal high = part.high();
        if (low != null && high != null) {
            return part.field() + ' ' + text(part, low) + " to " + text(part, high);
        }
        return low == null
                ? part.field() + " < " + (high == null ? "" : text(part, high))
                : part.field() + " >= " + text(part, low);
    }

    /** An end of a range; with all its digits, but in a field of durations or sizes. */
    private String text(Part part, BigDecimal end) {
        ValueUnit unit = unit(part, end.doubleValue());
        return unit == ValueUnit.NONE ? end.toPlainString() : ValueText.precise(end.doubleValue(), unit);
    }

    /** The unit of a field's numbers; none for times, and for numbers so great that they are times, which need their digits. */
    private ValueUnit unit(Part part, double number) {
        ValueUnit unit = IndexFunction.unit(format, part.field());
        double seconds = switch (unit) {
            case NANOSECONDS -> number / 1e9;
            case MICROSECONDS -> number / 1e6;
            case MILLISECONDS -> number / 1e3;
            case SECONDS -> number;
            case NONE, BYTES -> 0;
        };
        return format.isTime(part.field()) || Math.abs(seconds) >= DURATION_MAX_S ? ValueUnit.NONE : unit;
    }

    private static String ratio(Finding finding) {
        return compact(finding.riskRatio()) + " x (" + compact(finding.riskRatioLow()) + " to "
                + compact(finding.riskRatioHigh()) + ')';
    }

    private static String compact(double ratio) {
        return ratio < 1000 ? ValueText.compact(ratio, ValueUnit.NONE) : String.format(Locale.ROOT, "%,.0f", ratio);
    }

    private List<String> notes(Finding finding) {
        List<String> notes = new ArrayList<>();
        Difference.Shift shift = finding.shift();
        if (shift != null) {
            Part part = finding.parts().get(0);
            notes.add("median " + median(part, shift.selected()) + ", of the others " + median(part, shift.against())
                    + String.format(Locale.ROOT, "; distributions differ by %.0f%%", 100 * shift.distance()));
        }
        if (finding.isExact()) {
            notes.add("exactly the chosen records");
        }
        if (!finding.same().isEmpty()) {
            notes.add("the same records: " + label(finding.same(), "; "));
        }
        return notes;
    }

    private String median(Part part, List<Double> quartiles) {
        if (quartiles.isEmpty()) {
            return "none";
        }
        double median = quartiles.get(1);
        ValueUnit unit = unit(part, median);
        boolean digits = unit == ValueUnit.NONE && Math.abs(median) >= PLAIN_MIN && Math.abs(median) < Long.MAX_VALUE;
        return digits ? Long.toString(Math.round(median)) : ValueText.compact(median, unit);
    }
}
