package dev.loom.cli.demo;

import java.io.PrintStream;

/** The command line itself: runs one command, as {@code main} would, and gives its exit code. */
@FunctionalInterface
interface CliRunner {
    int run(PrintStream out, PrintStream err, String... args);
}
