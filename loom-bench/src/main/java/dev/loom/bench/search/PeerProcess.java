package dev.loom.bench.search;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs an engine. It reads requests from its standard input, and answers each with a line of {@code ok} and values on
 * its standard output, separated by tabs; or of {@code error} and the reason:
 *
 * <pre>
 *     version                       the engine's version and settings
 *     load FILE                     elapsed ns, CPU ns, CPU ns until the last line was accepted
 *     open, release                 nothing
 *     cpu                           the process's CPU ns, all threads
 *     ask SETTING KIND WORD...      elapsed ns, count, ids (separated by commas): of search
 *     ask THREADS SQL               elapsed ns, CPU ns, columns, all cells row by row: of questions by groups
 * </pre>
 */
public final class PeerProcess implements AutoCloseable {
    /** Longer than any request takes: a peer that is silent must not hold up all others. */
    private static final int ANSWER_MINUTES = 60;

    private final String command;
    private final Process process;
    private final Writer requests;
    private final BufferedReader answers;

    private PeerProcess(String command, Process process) {
        this.command = command;
        this.process = process;
        requests = process.outputWriter();
        answers = process.inputReader();
    }

    /**
     * Starts a program.
     *
     * @param output where its standard error goes
     */
    public static PeerProcess start(List<String> command, Path output) throws IOException {
        return new PeerProcess(
                String.join(" ", command),
                new ProcessBuilder(command).redirectError(output.toFile()).start());
    }

    /** Sends a request and returns the values of its answer. */
    public List<String> request(String... parts) throws IOException {
        requests.write(String.join("\t", parts) + '\n');
        requests.flush();
        final CompletableFuture<Void> late = CompletableFuture.runAsync(
                this::kill, CompletableFuture.delayedExecutor(ANSWER_MINUTES, TimeUnit.MINUTES));
        final String answer;
        try {
            answer = answers.readLine();
        } finally {
            late.cancel(false);
        }
        if (answer == null || !(answer + '\t').startsWith("ok\t")) {
            throw new IllegalStateException(
                    "peer failed: command=" + command + ", request=" + String.join(" ", parts) + ", answer=" + answer);
        }
        final List<String> values = List.of(answer.split("\t", -1));
        return values.subList(1, values.size());
    }

    /** With the processes that it has started, which would work on. */
    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    /** Ends it by the end of its input. */
    @Override
    public void close() {
        try {
            requests.close();
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                kill();
            }
        } catch (final IOException e) {
            kill();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            kill();
        }
    }
}
