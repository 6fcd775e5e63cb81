package dev.loom.bench;

import dev.loom.bench.figure.FigurePlot;
import dev.loom.bench.figure.FigureResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Draws every figure whose raw results are in a folder. */
public final class Plots {
    private static final String[] DEFAULTS = {"results", "target/evaluation", "output", "docs/pictures/evaluation"};

    private Plots() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws IOException {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws IOException {
        System.setProperty("java.awt.headless", "true");
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final List<Path> results;
        try (Stream<Path> files = Files.list(Path.of(options.text("results")))) {
            results = files.filter(file -> file.getFileName().toString().matches("figure-.*\\.json"))
                    .sorted()
                    .toList();
        }
        if (results.isEmpty()) {
            throw new IllegalArgumentException("no results of figures: folder=" + options.text("results"));
        }
        for (final Path file : results) {
            FigurePlot.draw(FigureResult.read(file), Path.of(options.text("output")))
                    .forEach(out::println);
        }
    }
}
