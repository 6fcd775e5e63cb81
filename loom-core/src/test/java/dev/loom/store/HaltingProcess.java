package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a JVM of its own, which ends itself in the midst of its work, as a kill would. */
final class HaltingProcess {
    /** The exit code of a process that has got so far. */
    static final int HALTED = 77;

    private HaltingProcess() {}

    static void halt() {
        Runtime.getRuntime().halt(HALTED);
    }

    /** Runs it to its end; nothing but what it was to do may end it. */
    static void run(Class<?> main, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                throw new AssertionError("process has not ended: main=" + main.getName());
            }
            assertEquals(HALTED, process.exitValue());
        } finally {
            process.destroyForcibly();
        }
    }
}
