package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LockedFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lock of a session's staging, which must not outlive the session: the process may try again for as long as it lives. */
final class SessionStagingTest extends StoreFixture {
    private Path parent() {
        return temp.resolve("staging");
    }

    /** The claim in the only staging there is. */
    private Path owner() {
        List<Path> all = Storage.DISK.list(parent());
        assertEquals(1, all.size(), all::toString);
        return all.get(0).resolve("owner");
    }

    @Test
    void shouldBeReleasedThoughTheDiskRefusesTheClosing() {
        loom = open(disk, builder -> builder.stagingDirectory(parent()));
        assertTrue(LockedFile.isHeldHere(owner()));
        disk.refuseChanges();
        assertThrows(StoreIoException.class, loom::close);
        assertFalse(LockedFile.isHeldHere(owner()), "the staging stays, but not its lock");
        disk.allow();
        open().close();
    }

    /** How much of any staging this process has mapped; 0 where that can't be told. */
    private long mappings() throws IOException {
        Path maps = Path.of("/proc/self/maps");
        if (!Files.exists(maps)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(maps, StandardCharsets.ISO_8859_1)) {
            return lines.filter(line -> line.contains(parent().toString())).count();
        }
    }

    @Test
    void shouldBeReleasedThoughTheOpeningFailsAtItsEnd() throws IOException {
        assertThrows(
                IllegalStateException.class,
                () -> open(
                        disk,
                        builder -> builder.stagingDirectory(parent()).clock(() -> {
                            throw new IllegalStateException("injected failure");
                        })));
        assertFalse(LockedFile.isHeldHere(owner()), "the staging stays, but not its lock");
        assertEquals(0, mappings());
        open().close();
    }

    @Test
    void shouldBeReleasedThoughTheClaimOfAnEndedSessionCanNotBeDeleted() throws IOException {
        loom = open(disk, builder -> builder.stagingDirectory(parent()));
        disk.refuseChanges();
        assertThrows(StoreIoException.class, loom::close);
        assertEquals(1, Storage.DISK.list(store().resolve("owner")).size());
        Storage refusing = new HookedStorage() {
            @Override
            public void delete(Path file) {
                if (file.getParent().endsWith("owner")) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
                super.delete(file);
            }
        };
        assertThrows(StoreIoException.class, () -> open(refusing, builder -> builder.stagingDirectory(parent())));
        assertFalse(LockedFile.isHeldHere(owner()), "the staging stays, but not its lock");
        assertEquals(0, mappings());
        open().close();
    }
}
