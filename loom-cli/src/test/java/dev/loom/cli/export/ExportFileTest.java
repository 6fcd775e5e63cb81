package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that get their name when they are complete, by way of links too, and whatever the length of the name. */
class ExportFileTest {
    private static final int NAME_LENGTH_MAX = 255;

    @TempDir
    Path directory;

    private Path data = Path.of("");
    private Path link = Path.of("");

    @BeforeEach
    void make() throws IOException {
        data = Files.createDirectory(directory.resolve("data"));
        link = directory.resolve("link");
    }

    private static void write(Path name, boolean overwrite) throws IOException {
        try (ExportFile file = ExportFile.create(name, overwrite)) {
            file.out().write('x');
            file.complete();
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.filter(path -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .map(path -> directory.relativize(path).toString())
                    .sorted()
                    .toList();
        }
    }

    /** As when the process has to end while the disk takes nothing any more. */
    @Test
    void shouldLeaveNothingWhenItIsAbandoned() throws IOException {
        Path name = data.resolve("name");
        try (ExportFile file = ExportFile.create(name, false)) {
            file.out().write('x');
            file.out().flush();
            assertEquals(1, files().size());
            assertTrue(file.abandon());
            assertEquals(List.of(), files());
            assertFalse(file.abandon());
        }
        try (ExportFile file = ExportFile.create(name, false)) {
            file.complete();
            assertFalse(file.abandon(), "it has its name");
        }
        assertEquals(List.of("data/name"), files());
    }

    @Test
    void shouldReplaceTheTargetOfALink() throws IOException {
        Path target = Files.writeString(data.resolve("target"), "old");
        Files.createSymbolicLink(link, Path.of("data", "target"));
        CommandFailure refused = assertThrows(CommandFailure.class, () -> write(link, false));
        assertTrue(refused.getMessage().startsWith("file exists: file="), refused.getMessage());
        assertEquals("old", Files.readString(target));
        write(link, true);
        assertEquals("x", Files.readString(target));
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(List.of("data/target", "link"), files());
    }

    @Test
    void shouldCreateTheTargetOfALinkThatDangles() throws IOException {
        Files.createSymbolicLink(link, Path.of("data", "link"));
        Files.createSymbolicLink(data.resolve("link"), Path.of("..", "target"));
        write(link, false);
        assertEquals("x", Files.readString(directory.resolve("target")));
        assertEquals(List.of("data/link", "link", "target"), files());
        assertTrue(Files.isSymbolicLink(link));
        assertTrue(Files.isSymbolicLink(data.resolve("link")));
    }

    /** The parent of a linked directory is that of its target. */
    @Test
    void shouldFollowALinkFromALinkedDirectory() throws IOException {
        Path inner = Files.createDirectories(data.resolve("a/b"));
        Files.createSymbolicLink(inner.resolve("file"), Path.of("..", "target"));
        Files.createSymbolicLink(link, inner);
        write(link.resolve("file"), false);
        assertEquals(List.of("data/a/b/file", "data/a/target", "link"), files());
    }

    @Test
    void shouldRefuseLinksThatLeadToThemselves() throws IOException {
        Files.createSymbolicLink(link, Path.of("other"));
        Files.createSymbolicLink(directory.resolve("other"), link);
        CommandFailure refused = assertThrows(CommandFailure.class, () -> write(link, true));
        assertTrue(refused.getMessage().startsWith("can't write the export: file=" + link), refused.getMessage());
        assertEquals(List.of("link", "other"), files());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, 33, 240, 241, NAME_LENGTH_MAX})
    void shouldTakeNamesOfAnyLength(int length) throws IOException {
        Path name = data.resolve("n".repeat(length));
        write(name, false);
        write(name, true);
        assertEquals(List.of(directory.relativize(name).toString()), files());
    }

    @Test
    void shouldRefuseANameThatIsTooLongBeforeAnythingIsWritten() throws IOException {
        Path name = data.resolve("n".repeat(NAME_LENGTH_MAX + 1));
        assertThrows(CommandFailure.class, () -> ExportFile.create(name, false));
        assertEquals(List.of(), files());
    }

    @Test
    void shouldLeaveNothingBesideALinkWhenIncomplete() throws IOException {
        Files.createSymbolicLink(link, Path.of("data", "target"));
        ExportFile.create(link, false).close();
        assertEquals(List.of("link"), files());
    }
}
