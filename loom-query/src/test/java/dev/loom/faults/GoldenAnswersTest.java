package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.format.Formats;
import dev.loom.store.MarkForger;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Stores that released and earlier versions have written, of every type of file and index, with what they answered then: this
 * version answers the same, and continues them. {@code -Dloom.golden=VERSION} adds those of a new version; docs/format.md says
 * when.
 */
class GoldenAnswersTest {
    static final String ANSWERS = "ANSWERS";
    private static final Path GOLDEN = Path.of("src/test/resources/golden/stores");

    @TempDir
    Path temp;

    private Path store = Path.of("");
    private List<String> answers = List.of();

    @BeforeAll
    static void write(@TempDir Path scratch) throws IOException {
        String version = System.getProperty("loom.golden", "");
        if (!version.isEmpty()) {
            GoldenWriter.write(scratch, GOLDEN, version);
        }
    }

    static List<String> stores() throws IOException {
        try (Stream<Path> files = Files.list(GOLDEN)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private void unpack(String name) throws IOException {
        store = temp.resolve("store");
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(GOLDEN.resolve(name)))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().equals(ANSWERS)) {
                    answers = List.of(new String(zip.readAllBytes(), StandardCharsets.UTF_8).split("\n"));
                } else {
                    Path target = store.resolve(entry.getName());
                    Files.createDirectories(target.getParent());
                    Files.write(target, zip.readAllBytes());
                }
            }
        }
        if (unclosed(name)) {
            MarkForger.ofEarlierBoot(store);
        }
    }

    private static boolean unclosed(String name) {
        return name.contains("-unclosed");
    }

    private static void requireSame(List<String> expected, List<String> found) {
        assertEquals(String.join("\n", expected), String.join("\n", found));
    }

    private void requireWhole() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file + "@" + offset + ": " + message));
        assertEquals(List.of(), problems);
    }

    @ParameterizedTest
    @MethodSource("stores")
    void shouldAnswerAsTheVersionThatWroteIt(String name) throws IOException {
        unpack(name);
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(name.substring(0, name.indexOf('-')), reader.info().formatVersion());
            requireSame(answers, GoldenAnswers.of(reader));
        }
        System.out.println("row=R27 faults=1 checked=" + answers.size() + " seed=0 store=" + name);
        if (!unclosed(name)) {
            requireWhole();
        }
    }

    @Test
    void shouldHaveStoresOfTheVersionsThatAreWritten() throws IOException {
        for (LoomConfig.Builder config : List.of(
                GoldenWriter.config(temp.resolve("plain")),
                GoldenWriter.config(temp.resolve("compressed")).compressAfter(Duration.ZERO))) {
            try (Loom loom = Loom.open(config.build())) {
                String version = loom.info().formatVersion();
                assertTrue(stores().stream().anyMatch(name -> name.startsWith(version + "-")), version);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("stores")
    void shouldContinueWhatAnEarlierVersionWrote(String name) throws IOException {
        unpack(name);
        String payload = "later";
        for (int session = 0; session < 2; session++) {
            try (Loom loom = Loom.open(GoldenWriter.config(store).build())) {
                requireSame(answers, withoutLater(GoldenAnswers.of(loom)));
                int id = loom.defineSource("later" + session, Formats.text());
                for (int i = 0; i < 100; i++) {
                    assertTrue(loom.push(id, payload.getBytes(StandardCharsets.UTF_8)) > 0);
                }
            }
            requireWhole();
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            List<String> all = GoldenAnswers.of(reader);
            requireSame(answers, withoutLater(all));
            assertEquals(answers.size() + 2 * 102, all.size(), "two sources with their statistics and records");
        }
    }

    /** What is said of the sources that were there before; those of this test were defined last. */
    private static List<String> withoutLater(List<String> lines) {
        int end = 0;
        while (end < lines.size() && !lines.get(end).contains(" later")) {
            end++;
        }
        return lines.subList(0, end);
    }
}
