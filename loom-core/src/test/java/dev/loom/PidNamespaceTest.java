package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.api.StoreInfo;
import dev.loom.error.StoreLockedException;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes in two PID namespaces, as in containers, where a pid says nothing: with a /proc of their own, and without. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class PidNamespaceTest {
    private static final int RECORDS = 1_000;

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private Path staging = Path.of("");

    @BeforeEach
    void place() {
        store = temp.resolve("store");
        staging = temp.resolve("staging");
    }

    private JavaProcess inside(boolean ownProc) throws IOException {
        List<String> unshare = new ArrayList<>(List.of("unshare", "--pid", "--fork"));
        if (ownProc) {
            unshare.add("--mount-proc");
        }
        List<String> trial = new ArrayList<>(unshare);
        trial.add("true");
        assumeTrue(runs(trial), () -> "left out, as this user can't: " + String.join(" ", unshare));
        return JavaProcess.startBy(unshare, WriterProcess.class, store, staging);
    }

    private static boolean runs(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectError(Redirect.DISCARD)
                            .start()
                            .onExit()
                            .join()
                            .exitValue()
                    == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private JavaProcess outside() throws IOException {
        return JavaProcess.start(WriterProcess.class, store, staging);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSeeTheWriterOutsideAsLiveAndBeRefused(boolean ownProc) throws IOException {
        try (JavaProcess writer = outside();
                JavaProcess inside = inside(ownProc)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push " + RECORDS));
            assertEquals("LIVE", inside.ask("state"));
            assertEquals("locked -1", inside.ask("open"));
            writer.signal("STOP");
            assertEquals("LIVE", inside.ask("state"));
            assertEquals("locked -1", inside.ask("open"));
            writer.kill();
            assertEquals("DEAD", inside.ask("state"));
            assertEquals("" + RECORDS, inside.ask("records"));
            assertEquals("ok", inside.ask("open"));
            assertEquals("ok", inside.ask("close"));
            assertEquals("" + RECORDS, inside.ask("records"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSeeTheWriterInsideAsLiveAndBeRefused(boolean ownProc) throws IOException {
        try (JavaProcess writer = inside(ownProc)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push " + RECORDS));
            try (LoomReader reader = LoomReader.attach(store)) {
                StoreInfo info = reader.info();
                assertEquals(StoreInfo.State.LIVE, info.state());
                assertFalse(info.owner().orElseThrow().near());
                assertEquals(1, info.owner().orElseThrow().pid(), "as it sees itself");
            }
            LoomConfig config =
                    WriterProcess.config(store).stagingDirectory(staging).build();
            StoreLockedException refused = assertThrows(StoreLockedException.class, () -> Loom.open(config));
            assertEquals(-1, refused.ownerPid());
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("pid=1 in another PID namespace, such as a container's, host="), message);
            writer.kill();
            try (Loom loom = Loom.open(config)) {
                assertEquals(1, loom.info().epoch(), "recoveries");
                assertTrue(loom.info().owner().orElseThrow().near());
                WriterProcess.push(loom, RECORDS);
            }
        }
        try (JavaProcess reader = outside()) {
            assertEquals("" + 2 * RECORDS, reader.ask("records"));
        }
    }
}
