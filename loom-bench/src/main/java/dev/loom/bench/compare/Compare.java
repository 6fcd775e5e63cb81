package dev.loom.bench.compare;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/**
 * Compares two files that JMH wrote with {@code -rf json}: for each benchmark in both files, the two scores and the second
 * divided by the first, each with its interval, and whether the ratio's interval contains 1.
 */
public final class Compare {
    private static final double CONFIDENCE = 0.999;
    private static final String USAGE = "usage: compare <before.json> <after.json> [confidence, 0.999]";

    private Compare() {}

    /** Exits with 2 if the arguments are wrong or a file is not a readable result. */
    public static void main(String[] arguments) {
        if (arguments.length < 2 || arguments.length > 3) {
            System.err.println(USAGE);
            System.exit(2);
        }
        try {
            final double confidence = arguments.length == 3 ? Double.parseDouble(arguments[2]) : CONFIDENCE;
            run(new File(arguments[0]), new File(arguments[1]), confidence, System.out);
        } catch (final IOException | IllegalArgumentException e) {
            System.err.println("compare: " + e.getMessage());
            System.exit(2);
        }
    }

    static void run(File before, File after, double confidence, PrintStream out) throws IOException {
        if (!(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException("confidence is not between 0 and 1: confidence=" + confidence);
        }
        final Map<String, JmhResult> first = JmhResult.read(before);
        final Map<String, JmhResult> second = JmhResult.read(after);
        out.printf(Locale.ROOT, "intervals at %s%%; ratio is after / before%n", 100 * confidence);
        first.forEach((name, result) -> {
            final JmhResult other = second.get(name);
            if (other == null) {
                out.printf("%n%s%n  only before%n", name);
            } else {
                print(name, result, other, confidence, out);
            }
        });
        second.keySet().stream()
                .filter(name -> !first.containsKey(name))
                .forEach(name -> out.printf("%n%s%n  only after%n", name));
    }

    private static void print(String name, JmhResult before, JmhResult after, double confidence, PrintStream out) {
        if (!before.unit().equals(after.unit())) {
            out.printf("%n%s%n  units differ: before=%s, after=%s%n", name, before.unit(), after.unit());
            return;
        }
        final Ratio ratio = Ratio.of(before.measurement(), after.measurement(), confidence);
        out.printf("%n%s (%s)%n", name, before.unit());
        line(out, "before", before.measurement().mean(), before.measurement().interval(confidence));
        line(out, "after", after.measurement().mean(), after.measurement().interval(confidence));
        line(out, "ratio", ratio.value(), ratio.interval());
        out.printf("  %s%n", ratio.verdict(before.moreIsBetter()).name().toLowerCase(Locale.ROOT));
    }

    private static void line(PrintStream out, String label, double value, Interval interval) {
        out.printf(Locale.ROOT, "  %-7s %14.4g  [%.4g, %.4g]%n", label, value, interval.low(), interval.high());
    }
}
