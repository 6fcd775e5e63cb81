package dev.loom.cli.demo;

import java.io.PrintStream;

/** Runs one command as {@code main} would, and returns its exit code. */
@FunctionalInterface
interface CliRunner {
    int run(PrintStream out, PrintStream err, String... args);
}
