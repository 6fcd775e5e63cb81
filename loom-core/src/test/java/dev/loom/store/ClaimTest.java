package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a claim tells an opener of the session that made it. */
final class ClaimTest {
    private static final Mark.Owner OWN = new Mark.Owner(ProcessId.current(), Platform.bootId(), "host of the test");
    private static final long NONCE = 0xf00dL;

    @TempDir
    Path temp;

    private Path folder() {
        return temp.resolve("claims");
    }

    private Claim announce(long nonce) throws IOException {
        Files.createDirectories(folder());
        return Claim.announce(folder(), nonce, OWN, Path.of("/some/place"));
    }

    private Claim.Other found(long nonce) {
        return Objects.requireNonNull(Claim.of(folder(), nonce));
    }

    @Test
    void shouldBeAliveWhileItIsHeld() throws IOException {
        try (Claim claim = announce(NONCE);
                Claim other = announce(-1)) {
            assertTrue(claim.holds());
            assertSame(ProcessId.Life.ALIVE, found(NONCE).life());
            assertFalse(found(NONCE).ended());
            assertEquals(ProcessId.current(), found(NONCE).owner().process());
            assertEquals(
                    List.of(NONCE),
                    other.others().stream().map(Claim.Other::nonce).toList());
            assertEquals(
                    List.of(-1L),
                    claim.others().stream().map(Claim.Other::nonce).toList());
        }
        assertNull(Claim.of(folder(), 1));
    }

    @Test
    void shouldBeHeldAndTellItsMakerThoughAnInterruptedThreadMakesIt() throws IOException {
        Thread.currentThread().interrupt();
        Claim claim = announce(NONCE);
        Claim other = announce(-1);
        assertEquals(1, other.others().size());
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        assertTrue(claim.holds());
        assertSame(ProcessId.Life.ALIVE, found(NONCE).life());
        claim.close();
        assertEquals(OWN, found(NONCE).owner());
        Thread.currentThread().interrupt();
        other.leave();
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        assertTrue(found(-1).ended());
    }

    @Test
    void shouldTellOfADeadSessionWhoItWas() throws IOException {
        Claim claim = announce(NONCE);
        claim.close();
        assertFalse(claim.holds());
        Claim.Other found = found(NONCE);
        assertSame(ProcessId.Life.DEAD, found.life());
        assertEquals(OWN, found.owner());
        assertEquals("/some/place", found.place());
        assertEquals(NONCE, found.nonce());
        assertFalse(found.ended());
        assertFalse(found.unknown());
    }

    @Test
    void shouldTellOfAnEndedSessionThatItEnded() throws IOException {
        announce(NONCE).leave();
        Claim.Other found = found(NONCE);
        assertTrue(found.ended());
        assertFalse(found.unknown());
        assertSame(ProcessId.Life.DEAD, found.life());
        assertEquals(Mark.Owner.NONE, found.owner());
    }

    @Test
    void shouldBeGoneWhenItIsWithdrawn() throws IOException {
        Claim claim = announce(NONCE);
        claim.withdraw();
        assertNull(Claim.of(folder(), NONCE));
        assertFalse(claim.holds());
        claim.withdraw();
    }

    @Test
    void shouldNotWithdrawWhatAnotherSessionPutThere() throws IOException {
        Claim claim = announce(NONCE);
        Path file = folder().resolve(Long.toHexString(NONCE));
        Files.delete(file);
        Files.writeString(file, "another's");
        claim.withdraw();
        assertTrue(Files.exists(file));
    }

    @Test
    void shouldBeMadeAgainWhenItWasDeleted() throws IOException {
        try (Claim claim = announce(NONCE)) {
            assertFalse(claim.renew());
            Path file = folder().resolve(Long.toHexString(NONCE));
            String before = Files.readString(file);
            Files.delete(file);
            Files.delete(folder());
            assertFalse(claim.holds());
            assertTrue(claim.renew());
            assertTrue(claim.holds());
            assertFalse(claim.renew());
            assertEquals(before.split(" ", 3)[2], Files.readString(file).split(" ", 3)[2]);
        }
    }

    private Claim.Other written(String text) throws IOException {
        announce(NONCE).close();
        Files.writeString(folder().resolve(Long.toHexString(NONCE)), text);
        return found(NONCE);
    }

    private String identity() throws IOException {
        announce(NONCE).close();
        FileId id = FileId.of(folder().resolve(Long.toHexString(NONCE)));
        return id.device() + " " + id.inode();
    }

    @Test
    void shouldTellNothingWhenItsTextIsNotItsOwn() throws IOException {
        String good = identity() + " 1 2 3 " + Platform.bootId() + " some host";
        assertEquals("some host", written(good).owner().host());
        assertEquals(new ProcessId(1, 2, 3), written(good).owner().process());
        assertEquals("", written(good).place(), "one line");
        FileId id = FileId.of(folder().resolve(Long.toHexString(NONCE)));
        for (String other : List.of(
                "nonsense",
                identity() + " 1 2 3 boot",
                id.device() + " " + (id.inode() + 1) + " 1 2 3 boot host",
                (id.device() + 1) + " " + id.inode() + " 1 2 3 boot host",
                "x " + id.inode() + " 1 2 3 boot host")) {
            Claim.Other found = written(other);
            assertEquals(Mark.Owner.NONE, found.owner(), other);
            assertTrue(found.unknown(), other);
            assertFalse(found.ended(), other);
        }
        assertTrue(written("").ended(), "as on a full disk");
        assertEquals(
                -1, written(identity() + " 1x 2 3 boot host").owner().process().pid());
        assertNotNull(written("nonsense").path());
    }

    @Test
    void shouldBeOfADeadProcessAfterAnotherBoot() throws IOException {
        ProcessId own = ProcessId.current();
        String process = own.pid() + " " + (own.start() + 1) + " " + own.namespace();
        assertSame(
                ProcessId.Life.DEAD,
                written(identity() + " " + process + " " + Platform.bootId() + " host")
                        .life(),
                "its number was given again");
        assertSame(
                ProcessId.Life.DEAD,
                written(identity() + " " + process + " another host").life());
        long elsewhere = own.namespace() + 1;
        assertSame(
                ProcessId.Life.UNKNOWN,
                written(identity() + " 1 2 " + elsewhere + " " + Platform.bootId() + " host")
                        .life());
    }

    @Test
    void shouldNotTakeOtherFilesForClaims() throws IOException {
        try (Claim claim = announce(NONCE)) {
            for (String name : List.of("x", "0123456789abcdef0", "ABC", "a.b")) {
                Files.createFile(folder().resolve(name));
            }
            assertEquals(List.of(), claim.others());
            Files.createFile(folder().resolve("0123456789abcdef"));
            assertEquals(1, claim.others().size());
        }
    }
}
