package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Pressure;
import dev.loom.api.StoreInfo.IndexState;
import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.ProcessId;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.record.LossCounts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pictures of {@code loom.mark} and {@code live}, number by number: other processes and later versions read them. */
class StoreLayoutTest {
    private static final long PAGE = PageDescriptor.PAGE_LENGTH;

    @TempDir
    Path dir;

    private static ByteBuffer read(Path file) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String text(ByteBuffer bytes, int offset, int length) {
        byte[] text = new byte[length];
        bytes.get(offset, text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static Mark mark(long sequence, boolean closed) {
        Mark.Owner owner = new Mark.Owner(new ProcessId(19, 20, 21), "boot", "h\u00f6st");
        List<LogMark> logs = List.of(
                new LogMark(1 << 20, 1 << 23, 61 * PAGE, 62 * PAGE),
                new LogMark(1 << 21, 1 << 24, 71 * PAGE, 72 * PAGE),
                new LogMark(1 << 22, 1 << 25, 81 * PAGE, 82 * PAGE));
        return new Mark(
                sequence,
                new Mark.Identity(2, 5 * PAGE, new FileId(15, 16), 7, false),
                new Mark.Session(3, closed, owner, 4, Path.of("/staging")),
                new Mark.Contents(logs, 12, 13, 14),
                new Rebuild(PAGE, 2 * PAGE, 3 * PAGE, 4 * PAGE, 5 * PAGE, 6 * PAGE),
                closed ? IndexState.DAMAGED : IndexState.UNCHECKED);
    }

    @Test
    void shouldLayOutTheMarkAsInThePicture() throws IOException {
        Path file = dir.resolve("loom.mark");
        Files.createFile(file);
        MarkFile marks = new MarkFile(Storage.DISK, file);
        marks.write(mark(40, true));
        marks.write(mark(41, false));
        ByteBuffer bytes = read(file);
        assertEquals(8192, bytes.capacity());
        for (int slot = 0; slot <= 4096; slot += 4096) {
            assertEquals("loommark", text(bytes, slot, 8));
            assertEquals(1, bytes.getShort(slot + 8), "major");
            assertEquals(7, bytes.getShort(slot + 10), "minor");
            assertEquals(16, bytes.getShort(slot + 12), "page shift");
            assertEquals(slot == 0 ? 1 | 2 << 1 : 1 << 1, bytes.getShort(slot + 14), "closed, state of the indexes");
            assertEquals(slot == 0 ? 40 : 41, bytes.getLong(slot + 16), "sequence");
            assertEquals(2, bytes.getLong(slot + 24), "store id");
            assertEquals(3, bytes.getInt(slot + 32), "epoch");
            assertEquals(0, bytes.getInt(slot + 36));
            assertEquals(4, bytes.getLong(slot + 40), "session nonce");
            assertEquals(5 * PAGE, bytes.getLong(slot + 48), "segment length");
            assertEquals(13, bytes.getLong(slot + 56), "checkpoint");
            assertEquals(14, bytes.getLong(slot + 64), "last time");
            assertEquals(12, bytes.getLong(slot + 72), "schema durable");
            assertEquals(15, bytes.getLong(slot + 80), "device");
            assertEquals(16, bytes.getLong(slot + 88), "inode");
            assertEquals(19, bytes.getLong(slot + 96), "owner's pid");
            assertEquals(20, bytes.getLong(slot + 104), "owner's start");
            assertEquals(21, bytes.getLong(slot + 112), "owner's PID namespace");
            for (int log = 0; log < 3; log++) {
                int at = slot + 128 + log * 24;
                assertEquals((61 + log * 10) * PAGE, bytes.getLong(at), "begin");
                assertEquals((62 + log * 10) * PAGE, bytes.getLong(at + 8), "durable");
                assertEquals(1 << (20 + log), bytes.getInt(at + 16), "ring");
                assertEquals(1 << (23 + log), bytes.getInt(at + 20), "ring wanted");
            }
            for (int i = 0; i < 6; i++) {
                assertEquals((1 + i) * PAGE, bytes.getLong(slot + 200 + i * 8), "gaps, rebuilt, rebuild to");
            }
            assertEquals(4, bytes.getInt(slot + 256));
            assertEquals("boot", text(bytes, slot + 260, 4));
            assertEquals(5, bytes.getInt(slot + 264));
            assertEquals("h\u00f6st", text(bytes, slot + 268, 5));
            assertEquals(8, bytes.getInt(slot + 273));
            assertEquals("/staging", text(bytes, slot + 277, 8));
            for (int offset = 285; offset < 4092; offset++) {
                assertEquals(0, bytes.get(slot + offset), "the rest is zero");
            }
            CRC32C crc = new CRC32C();
            crc.update(bytes.duplicate().position(slot).limit(slot + 4092));
            assertEquals((int) crc.getValue(), bytes.getInt(slot + 4092), "checksum");
        }
        assertEquals(mark(41, false), marks.read());
    }

    @Test
    void shouldLayOutTheLiveStateAsInThePicture() throws IOException {
        Path file = dir.resolve("live");
        LiveFile live = LiveFile.create(Storage.DISK, file, 2, 3, 4);
        live.stateRelease(5);
        assertEquals(0, live.silenceNs(), "never heard of");
        long before = System.nanoTime();
        live.beat(6);
        live.modes(true, Pressure.DROP_NEWEST);
        live.failures(7, true, "f\u00fcll");
        live.watermarks(LogKind.RECORD).reset(8, 9);
        live.watermarks(LogKind.TIME).reset(10, 11);
        live.watermarks(LogKind.CHUNK).reset(16, 17);
        live.watermarks(LogKind.TIME).gap(20, 21, 22, 23);
        live.losses().put(65_535, 12, 13, 14, 15);
        ByteBuffer bytes = live.file().bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        FileId id = FileId.of(file);
        assertEquals("loomlive", text(read(file), 0, 8));
        assertEquals(2, bytes.getLong(8), "store id");
        assertEquals(3, bytes.getLong(16), "session nonce");
        assertEquals(4, bytes.getInt(24), "epoch");
        assertEquals(5, bytes.getInt(28), "state");
        assertEquals(id.device(), bytes.getLong(32), "own device");
        assertEquals(id.inode(), bytes.getLong(40), "own inode");
        assertEquals(1, bytes.getInt(56), "pressure");
        assertEquals(1, bytes.getInt(60), "direct");
        assertEquals(7, bytes.getLong(128), "write failures");
        assertEquals(1, bytes.getInt(136), "sync failed");
        assertEquals(5, bytes.getInt(140), "length of the last error");
        assertEquals(6, bytes.getLong(144), "clock ahead");
        assertTrue(bytes.getLong(152) - before >= 0, "last heard of");
        assertEquals(4096 - 2048, LossCounts.LENGTH);
        assertEquals("f\u00fcll", text(read(file), 1024, 5));
        assertEquals(9, bytes.getLong(256), "tail of the record log");
        assertEquals(8, bytes.getLong(256 + 144), "begin of the record log");
        assertEquals(11, bytes.getLong(512), "tail of the timestamp index");
        assertEquals(10, bytes.getLong(512 + 144), "begin of the timestamp index");
        for (int i = 0; i < 4; i++) {
            assertEquals(20 + i, bytes.getLong(512 + 152 + i * 8), "gap, rebuilt, rebuild to");
        }
        assertEquals(17, bytes.getLong(768), "tail of the chunk index");
        assertEquals(16, bytes.getLong(768 + 144), "begin of the chunk index");
        assertEquals(-1, bytes.getLong(4096), "no directory of source 0");
        int losses = 4096 + 65_536 * 64;
        assertEquals(12, bytes.getLong(losses + 64 + 65_535 * 32), "lost of the last source");
        assertEquals(losses + 64 + 65_536 * 32, bytes.capacity());
        assertTrue(LiveFile.OPEN == 1 && LiveFile.CLOSED == 2 && LiveFile.FENCED == 3);
        live.file().unmap();
    }

    @Test
    void shouldLayOutTheGaugeAsInThePicture() {
        LiveFile live = LiveFile.create(Storage.DISK, dir.resolve("live"), 2, 3, 4);
        ByteBuffer bytes = live.file().bytes();
        bytes.putLong(64, 5).putLong(72, 6).putLong(80, 7);
        assertEquals(5, live.gauge().waits());
        assertEquals(6, live.gauge().waitedNs());
        assertEquals(7, live.gauge().refused());
        live.file().unmap();
    }

    @Test
    void shouldTellOwnersApart() {
        ProcessId self = ProcessId.current();
        String boot = Platform.bootId();
        assertEquals(Life.ALIVE, new Mark.Owner(self, boot, "").life());
        assertEquals(Life.DEAD, new Mark.Owner(self, "another boot", "").life());
        assertEquals(Life.DEAD, Mark.Owner.NONE.life());
    }
}
