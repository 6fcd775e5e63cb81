package dev.loom.bench.scaling;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts JVMs like this one. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Ends this JVM when the one that started it has ended, which closes the pipe to its standard input; nobody else would stop it.
     * Its shutdown hooks end what it has started itself.
     */
    public static void endWithParent() {
        final Thread thread = new Thread(
                () -> {
                    try {
                        System.in.transferTo(OutputStream.nullOutputStream());
                    } catch (final IOException e) {
                        // as at the end
                    }
                    System.exit(1);
                },
                "bench-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /** Runs a class with this JVM's flags and class path; what it prints as errors goes to this one's. */
    public static Process start(Class<?> main, List<String> arguments) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
