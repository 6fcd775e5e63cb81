package dev.loom.cli.query;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ChartStyle;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.output.TextWidth;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.Trace.Mark;
import dev.loom.query.trace.Trace.Node;
import dev.loom.query.trace.Trace.Row;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceLog;
import dev.loom.query.trace.TraceSpan;
import dev.loom.query.trace.TraceSpan.SpanEvent;
import dev.loom.server.json.TraceRows;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.TimePrinter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Draws a trace: a line for each span and log record, with its name below its parent's, its service, a bar on the one axis of time, its
 * duration, and the part of it in which no child ran. Terminals of fewer than 60 columns get no service and no self time.
 */
final class Waterfall {
    private static final int NARROW = 60;
    private static final int LABEL_MIN = 12;
    private static final int BAR_MIN = 10;

    /** A service gets at most this part of the width; so do the steps to the right of deep spans of their column. */
    private static final int SERVICE_SHARE = 6;

    private static final int INDENT_SHARE = 2;

    private static final String STEP = "  ";
    private static final String ERROR = "! ";
    private static final String LOG = "• ";
    private static final char BAR = '█';
    private static final char SLIVER = '▏';
    private static final char GAP = '·';
    private static final char EVENT = '◆';
    private static final char RECORD = '•';

    private final Console console;
    private final Trace trace;
    private final TimePrinter times;
    private final ChartStyle style;
    private final boolean wide;
    private final int labelWidth;
    private final int serviceWidth;
    private final int timeWidth;
    private final int barWidth;
    private long lines;

    Waterfall(Console console, Trace trace, TimePrinter times) {
        this.console = console;
        this.trace = trace;
        this.times = times;
        style = new ChartStyle(console.columns(), console.outColour());
        wide = style.width() >= NARROW;
        IntStream spans = trace.nodes().stream()
                .mapToInt(node -> Math.max(
                        time(node.durationNs()).length(), time(node.selfNs()).length()));
        IntStream records = trace.logs().stream().mapToInt(log -> offset(log).length());
        timeWidth = IntStream.concat(spans, records).max().orElse(0);
        int services = services().stream().mapToInt(TextWidth::of).max().orElse(0);
        serviceWidth = wide ? Math.min(Math.max(services, "service".length()), style.width() / SERVICE_SHARE) : 0;
        int columns = Math.max(timeWidth, "time".length());
        int rest = style.width() - (wide ? serviceWidth + 1 + 2 * (columns + 1) : columns + 1) - 1;
        int labels = trace.rows().stream().mapToInt(this::labelWidth).max().orElse(0);
        labelWidth = Math.max(LABEL_MIN, Math.min(labels, Math.min(rest * 3 / 5, rest - BAR_MIN)));
        barWidth = Math.max(1, rest - labelWidth);
    }

    private List<String> services() {
        return trace.nodes().stream()
                .filter(node -> node.span() != null)
                .map(node -> node.span().service())
                .distinct()
                .map(HiddenCharacters::escaped)
                .sorted()
                .toList();
    }

    /** Draws the trace; returns the number of lines. */
    long draw() {
        print(style.heading("trace " + trace.id()) + "  " + times.text(trace.startNs()));
        long services = services().stream().filter(name -> !name.isEmpty()).count();
        print(String.join(
                ", ",
                time(trace.endNs() - trace.startNs()),
                count(trace.spans(), "span"),
                count(trace.errors(), "error"),
                count(services, "service"),
                count(trace.logs().size(), "log record")));
        print("");
        head();
        for (Row row : trace.rows()) {
            if (row.node() < 0) {
                log(trace.logs().get(row.log()), row.depth());
            } else {
                node(trace.nodes().get(row.node()));
            }
        }
        console.out().flush();
        tell();
        return lines;
    }

    private static String count(long count, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", count, noun, count == 1 ? "" : "s");
    }

    private static String time(long ns) {
        return ValueText.compact((double) ns, ValueUnit.NANOSECONDS);
    }

    private void tell() {
        if (trace.missing() > 0) {
            console.say("parents that were not found: " + trace.missing()
                    + "; they are outside of the range, lost, or were never sent");
        }
        long early = trace.nodes().stream()
                .filter(node -> node.marks().contains(Mark.EARLY))
                .count();
        if (early > 0) {
            console.say("spans that start before their parent: " + early + "; clocks may differ");
        }
    }

    private void head() {
        String end = time(trace.endNs() - trace.startNs());
        String axis = "0" + ChartStyle.padLeft(end, barWidth - 1);
        StringBuilder line = new StringBuilder(padded("span", labelWidth)).append(' ');
        if (wide) {
            line.append(padded("service", serviceWidth)).append(' ');
        }
        line.append(padded(axis, barWidth)).append(' ').append(ChartStyle.padLeft("time", columns()));
        if (wide) {
            line.append(' ').append(ChartStyle.padLeft("self", columns()));
        }
        print(style.heading(line.toString()));
    }

    private int columns() {
        return Math.max(timeWidth, "time".length());
    }

    private void node(Node node) {
        TraceSpan span = node.span();
        boolean error = span != null && span.error();
        String label = padded(label(node, labelWidth), labelWidth);
        StringBuilder line = new StringBuilder(error ? style.error(label) : label).append(' ');
        if (wide) {
            String service = span == null ? "" : HiddenCharacters.escaped(span.service());
            line.append(padded(service, serviceWidth)).append(' ');
        }
        String bar = bar(node);
        if (span == null) {
            print(line.append(style.axis(bar.stripTrailing())).toString());
            return;
        }
        line.append(error ? style.error(bar) : style.bar(bar)).append(' ');
        line.append(ChartStyle.padLeft(time(node.durationNs()), columns()));
        if (wide) {
            line.append(' ').append(ChartStyle.padLeft(time(node.selfNs()), columns()));
        }
        print(line.toString());
    }

    private void log(TraceLog log, int depth) {
        int width = labelWidth + (wide ? serviceWidth + 1 : 0);
        String label = padded(TextWidth.cut(indent(depth) + logText(log), 0, width), width);
        char[] cells = new char[barWidth];
        Arrays.fill(cells, ' ');
        cells[cell(log.timeNs())] = RECORD;
        String offset = ChartStyle.padLeft(offset(log), columns());
        print(style.axis((label + ' ' + new String(cells) + ' ' + offset).stripTrailing()));
    }

    /** When a log record was written, after the trace's start; empty if before it. */
    private String offset(TraceLog log) {
        long ns = log.timeNs() - trace.startNs();
        return ns < 0 ? "" : "+" + time(ns);
    }

    private static String logText(TraceLog log) {
        String text = LOG + (log.severity().isEmpty() ? "" : log.severity() + ' ') + log.text();
        return HiddenCharacters.escaped(text);
    }

    /** Log records, whose texts are long, ask for room only if there are no spans. */
    private int labelWidth(Row row) {
        int indent = Math.min(row.depth(), style.width()) * STEP.length();
        if (row.node() < 0) {
            return indent
                    + (trace.nodes().isEmpty()
                            ? TextWidth.of(logText(trace.logs().get(row.log())))
                            : 0);
        }
        Node node = trace.nodes().get(row.node());
        return indent + TextWidth.of(name(node) + marks(node));
    }

    /** A step for each level; a number in place of the steps for which there is no room. */
    private String indent(int depth) {
        int most = labelWidth / STEP.length() / INDENT_SHARE;
        return depth <= most ? STEP.repeat(depth) : "+" + depth + ' ';
    }

    private String label(Node node, int width) {
        String indent = indent(node.depth());
        String marks = marks(node);
        int room = width - indent.length() - TextWidth.of(marks);
        return room < 1 ? TextWidth.cut(indent + marks, 0, width) : indent + TextWidth.cut(name(node), 0, room) + marks;
    }

    private static String name(Node node) {
        TraceSpan span = node.span();
        if (span == null) {
            return "(missing " + TraceId.text(node.spanId()) + ')';
        }
        String name = span.name().isEmpty() ? "(no name)" : span.name();
        String message = span.error() && !span.statusMessage().isEmpty() ? ": " + span.statusMessage() : "";
        return HiddenCharacters.escaped((span.error() ? ERROR : "") + name + message);
    }

    private static String marks(Node node) {
        String marks = node.marks().stream()
                .filter(mark -> mark != Mark.MISSING)
                .map(mark -> TraceRows.name(mark).replace('_', ' '))
                .collect(Collectors.joining(", "));
        if (node.copies() > 1) {
            marks = "x" + node.copies() + (marks.isEmpty() ? "" : ", " + marks);
        }
        return marks.isEmpty() ? "" : " [" + marks + ']';
    }

    private String bar(Node node) {
        char[] cells = new char[barWidth];
        Arrays.fill(cells, ' ');
        double scale = barWidth / Math.max(1.0, (double) (trace.endNs() - trace.startNs()));
        int from = cell(node.startNs());
        int to = Math.max(from + 1, (int) Math.min(barWidth, Math.round((node.endNs() - trace.startNs()) * scale)));
        TraceSpan span = node.span();
        boolean sliver = node.durationNs() * scale < 0.5;
        Arrays.fill(cells, from, to, span == null ? GAP : sliver ? SLIVER : BAR);
        if (span != null) {
            for (SpanEvent event : span.events()) {
                cells[cell(event.timeNs())] = EVENT;
            }
        }
        return new String(cells);
    }

    /** The column of a time; times outside of the axis are at its ends. */
    private int cell(long timeNs) {
        double share = (double) (timeNs - trace.startNs()) / Math.max(1, trace.endNs() - trace.startNs());
        return (int) Math.max(0, Math.min(barWidth - 1L, (long) Math.floor(share * barWidth)));
    }

    private static String padded(String text, int width) {
        String cut = TextWidth.cut(text, 0, width);
        return cut + " ".repeat(Math.max(0, width - TextWidth.of(cut)));
    }

    private void print(String line) {
        String text = line.stripTrailing() + '\n';
        TextBuffer into = new TextBuffer(2 * text.length());
        into.put(console.unicode() ? text : ChartStyle.ascii(text));
        console.out().write(into);
        lines++;
    }
}
