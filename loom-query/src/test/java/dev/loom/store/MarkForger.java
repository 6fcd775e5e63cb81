package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.io.ProcessId;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/** Writes marks that no store would. */
public final class MarkForger {
    private static final int DEVICE_OFFSET = 80;
    private static final int INODE_OFFSET = 88;
    private static final int BOOT_ID_OFFSET = 256;
    private static final int CRC_OFFSET = 4092;

    private MarkForger() {}

    /** Makes another process the owner of a store that is open or was left so. */
    public static void owner(Path directory, long pid, long start) {
        MarkFile file = new MarkFile(Storage.DISK, new StoreFiles(directory).mark());
        Mark mark = file.read();
        ProcessId process = new ProcessId(pid, start, mark.owner().process().namespace());
        Mark.Owner owner =
                new Mark.Owner(process, mark.owner().bootId(), mark.owner().host());
        file.write(mark.owned(
                owner,
                mark.sessionNonce(),
                mark.staging(),
                Rings.of(mark),
                Rings.of(mark),
                mark.indexState(),
                mark.file()));
    }

    /** Makes a directory that was written by a test the original that its mark speaks of, of an earlier boot. */
    public static void ofEarlierBoot(Path directory) throws IOException {
        Path path = new StoreFiles(directory).mark();
        if (!Files.exists(path)) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        FileId id = FileId.of(path);
        for (int slot = 0; slot + MarkFile.SLOT_LENGTH <= bytes.capacity(); slot += MarkFile.SLOT_LENGTH) {
            if (bytes.getInt(slot + CRC_OFFSET) == crc(bytes.array(), slot)) {
                bytes.putLong(slot + DEVICE_OFFSET, id.device());
                bytes.putLong(slot + INODE_OFFSET, id.inode());
                if (bytes.getInt(slot + BOOT_ID_OFFSET) != 0) {
                    bytes.put(slot + BOOT_ID_OFFSET + Integer.BYTES, (byte) '?');
                }
                bytes.putInt(slot + CRC_OFFSET, crc(bytes.array(), slot));
            }
        }
        Files.write(path, bytes.array());
    }

    private static int crc(byte[] bytes, int slot) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, slot, CRC_OFFSET);
        return (int) crc.getValue();
    }
}
