package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import dev.loom.io.LockedFile;
import dev.loom.io.Storage;
import java.nio.file.Path;
import java.util.List;
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

    @Test
    void shouldBeReleasedThoughTheOpeningFailsAtItsEnd() {
        assertThrows(
                IllegalStateException.class,
                () -> open(
                        disk,
                        builder -> builder.stagingDirectory(parent()).clock(() -> {
                            throw new IllegalStateException("injected failure");
                        })));
        assertFalse(LockedFile.isHeldHere(owner()), "the staging stays, but not its lock");
        open().close();
    }
}
