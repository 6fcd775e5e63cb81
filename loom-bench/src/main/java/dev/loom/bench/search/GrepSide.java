package dev.loom.bench.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** {@code grep} over the log itself, ignoring case, in the locale C: the baseline, which takes nothing in. */
final class GrepSide implements SearchSide {
    private static final Path STATISTICS = Path.of("/proc/self/stat");
    private static final int CHILDREN_USER_FIELD = 13;
    private static final int CHILDREN_SYSTEM_FIELD = 14;
    private static final long TICK_NS = 10_000_000;

    private final Path log;

    GrepSide(Path log) {
        this.log = log;
    }

    @Override
    public String name() {
        return "grep";
    }

    @Override
    public String description() {
        return "LC_ALL=C grep -F -w -i WORD FILE | tail -n 10; prefixes: grep -i '\\<PREFIX'; counts: grep -c";
    }

    @Override
    public boolean takesIn() {
        return false;
    }

    @Override
    public Ingest ingest(Path unused) {
        throw new UnsupportedOperationException("grep reads the log itself");
    }

    @Override
    public Path files() {
        return log;
    }

    @Override
    public void open() {}

    @Override
    public void release() {}

    /** Of all children of this process that have ended. */
    @Override
    public long cpuNs() {
        try {
            final String statistics = Files.readString(STATISTICS);
            final String[] fields =
                    statistics.substring(statistics.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[CHILDREN_USER_FIELD]) + Long.parseLong(fields[CHILDREN_SYSTEM_FIELD]))
                    * TICK_NS;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Answer ask(SearchQuestion question) throws IOException {
        final boolean count = question.kind() == SearchQuestion.Kind.COUNT;
        final List<ProcessBuilder> commands = new ArrayList<>();
        for (String word : question.words()) {
            final List<String> command = new ArrayList<>(List.of("grep", "-i"));
            if (count) {
                command.add("-c");
            }
            command.addAll(
                    question.kind() == SearchQuestion.Kind.PREFIX
                            ? List.of("-e", "\\<" + word)
                            : List.of("-F", "-w", "-e", word));
            if (commands.isEmpty()) {
                command.add(log.toString());
            }
            commands.add(new ProcessBuilder(command));
        }
        if (!count) {
            commands.add(new ProcessBuilder("tail", "-n", Integer.toString(SearchQuestion.LIMIT)));
        }
        commands.forEach(command -> command.environment().put("LC_ALL", "C"));
        final long startNs = System.nanoTime();
        final List<Process> processes = ProcessBuilder.startPipeline(commands);
        final List<String> lines = read(processes);
        final long elapsedNs = System.nanoTime() - startNs;
        if (count) {
            return new Answer(elapsedNs, Long.parseLong(lines.get(0)), List.of());
        }
        final List<String> ids = new ArrayList<>(lines.stream()
                .map(line -> line.substring(LogReplica.ID_OFFSET, LogReplica.ID_OFFSET + LogReplica.ID_LENGTH))
                .toList());
        Collections.reverse(ids);
        return new Answer(elapsedNs, ids.size(), ids);
    }

    private static List<String> read(List<Process> processes) throws IOException {
        final Process last = processes.get(processes.size() - 1);
        final String output = new String(last.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        try {
            for (Process process : processes) {
                process.waitFor();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while grep ran", e);
        }
        return output.lines().toList();
    }

    @Override
    public void close() {}
}
