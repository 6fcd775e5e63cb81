package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A system that is a program of its own: here one that starts this project's process with a raw file. */
final class RunningSinkTest {
    private static final long SLICE_NS = 2_000_000;

    @TempDir
    private Path directory;

    private SinkPrograms programs() {
        return new SinkPrograms("", Path.of(""), "", directory.toString(), "");
    }

    @Test
    void shouldSayWhatAProgramOfItsOwnLacks() {
        assertEquals("", SinkKind.LOOM.missing(programs()));
        assertEquals("no such program: file=" + directory.resolve("sink"), SinkKind.PROTOTYPE.missing(programs()));
        assertEquals("option fishstore names no folder", SinkKind.FISHSTORE.missing(programs()));
    }

    private void program(String script) throws IOException {
        Files.createFile(
                directory.resolve("sink"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.writeString(directory.resolve("sink"), "#!/bin/sh\n" + script + '\n');
    }

    @Test
    void shouldDoWithoutTheWarmUpOfAProgramThatKnowsNone() throws Exception {
        program("while read request; do echo 'error\tunknown request'; done");
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 1, 0.05, 1_000, 7, 1);
        final SinkSettings settings = new SinkSettings(plan, directory, directory, programs());
        final PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);
        try (RunningSink sink = new RunningSink(SinkKind.PROTOTYPE, settings, directory.resolve("errors"), out)) {
            assertFalse(sink.warmUp(0));
        }
    }

    @Test
    void shouldReplayIntoAProgramOfItsOwn() throws Exception {
        program("exec " + Path.of(System.getProperty("java.home"), "bin", "java") + " -cp '"
                + System.getProperty("java.class.path") + "' " + SinkProcess.class.getName()
                + " rawfile \"$@\" '' '' ''");
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 1, 0.05, 1_000, 7, 1);
        final Path files = Files.createDirectory(directory.resolve("files"));
        final SinkSettings settings = new SinkSettings(plan, files, directory, programs());
        final PrintStream out = new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);

        assertEquals("", SinkKind.PROTOTYPE.missing(programs()));
        try (RunningSink sink = new RunningSink(SinkKind.PROTOTYPE, settings, directory.resolve("errors"), out)) {
            assertEquals(0, sink.replay(SLICE_NS, 4, false).get().dropShare());
            for (final ReplayQuestion question : ReplayQuestion.of(plan, 0)) {
                assertEquals(
                        Oracle.answer(plan, question).text(),
                        sink.ask(question).answer().text());
            }
        }
    }
}
