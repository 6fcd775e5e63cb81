package dev.loom.store;

import dev.loom.api.StoreInfo.IndexState;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.ProcessId;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code loom.mark}: two slots of 4 KiB, written in turn, each durable before the other is written again.
 * Little-endian.
 *
 * <pre>
 *   0 | magic (8)             8 | major (2), minor (2), page shift (2), flags (2): bit 0 closed, 1 and 2 state of the indexes
 *  16 | sequence             24 | store id
 *  32 | epoch (4), 0 (4)     40 | session nonce
 *  48 | segment length       56 | checkpoint
 *  64 | last time            72 | schema durable
 *  80 | own device           88 | own inode
 *  96 | owner's pid         104 | owner's start, ticks   112 | number of its PID namespace
 * 128 | record log: begin   136 | durable             144 | ring (4), ring wanted (4)
 * 152 | timestamp index, the same
 * 176 | chunk index, the same
 * 200 | gap of the timestamp index: begin, end     216 | of the chunk index
 * 232 | records rebuilt, of those below    240
 * 256 | boot id, host, staging path: each length (4) and UTF-8
 * 4092| CRC32C of the rest
 * </pre>
 */
final class MarkFile {
    static final int SLOT_LENGTH = 4096;
    static final long MAGIC = 0x6b72_616d_6d6f_6f6cL;
    /** The newest major version. */
    static final int MAJOR = 2;

    /** The version of a store in which segments may be compressed. */
    private static final int MAJOR_COMPRESSED = 2;

    /** The version of any other store. */
    private static final int MAJOR_PLAIN = 1;

    /** The minor version of what this program writes. */
    static final int MINOR = 1;

    /** How often a slot is asked for until it counts as one that can't be read. */
    private static final int READ_ATTEMPTS = 5;

    private static final int PAGE_SHIFT = 16;
    private static final int CLOSED = 1;
    private static final int INDEX_STATE_SHIFT = 1;
    private static final int INDEX_STATE_MASK = 3;
    /** By their codes; one that is not assigned yet asks for a rebuild. */
    private static final List<IndexState> INDEX_STATES =
            List.of(IndexState.WHOLE, IndexState.UNCHECKED, IndexState.DAMAGED, IndexState.DAMAGED);

    private static final int MAJOR_OFFSET = Long.BYTES;
    private static final int FLAGS_OFFSET = 14;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int STORE_ID_OFFSET = 24;
    private static final int NONCE_OFFSET = 40;
    private static final int OWNER_OFFSET = 96;
    private static final int LOGS_OFFSET = 128;
    private static final int TEXTS_OFFSET = 256;
    private static final int CRC_OFFSET = SLOT_LENGTH - Integer.BYTES;

    private final Storage storage;
    private final Path path;

    MarkFile(Storage storage, Path path) {
        this.storage = storage;
        this.path = path;
    }

    /** Makes the file, or what is left of one, that of a new store, with a mark in both slots. */
    Mark create(Mark mark) {
        storage.openToWrite(path, false).close();
        return writeTwice(mark);
    }

    /** Writes a mark to its slot, and makes it durable. The file must exist. */
    void write(Mark mark) {
        try (LoomFile file = storage.openToRewrite(path)) {
            file.write(encode(mark), (mark.sequence() & 1) * SLOT_LENGTH);
            file.force();
        }
    }

    /** Writes a mark to both slots, so that damage to one loses nothing. */
    Mark writeTwice(Mark mark) {
        write(mark);
        Mark again = mark.again();
        write(again);
        return again;
    }

    /**
     * Reads the current mark.
     *
     * @throws CorruptStoreException when neither slot was ever a mark
     * @throws UnsupportedStoreException when the format's major version is above {@link #MAJOR}
     * @throws CorruptStoreException when both slots are damaged
     * @throws StoreIoException when neither slot can be read; when one can't, and the other is damaged, or says that the store was
     *     closed: if the one is the later, records that only the rings of a killed session have would be lost
     */
    Mark read() {
        return read(bothSlots());
    }

    /**
     * As {@link #read}, for who goes on to write. A slot that can't be read may be the later one, without which records that it tells of
     * would be overwritten.
     *
     * @throws StoreIoException when a slot can't be read
     */
    Mark readWhole() {
        Slots slots = bothSlots();
        Mark mark = read(slots);
        StoreIoException failure = slots.failure;
        if (failure != null) {
            throw new StoreIoException(
                    "a slot of the mark can't be read; if that lasts, loom verify --repair, or StoreVerifier.repair, goes on with"
                            + " the other one: reason=" + failure.getMessage(),
                    failure);
        }
        return mark;
    }

    private Mark read(Slots slots) {
        ByteBuffer bytes = slots.bytes;
        Mark first = decode(bytes, 0);
        Mark second = decode(bytes, SLOT_LENGTH);
        checkNotNewer(bytes);
        StoreIoException failure = slots.failure;
        Mark mark = second == null || (first != null && first.sequence() > second.sequence()) ? first : second;
        if (mark == null) {
            throw failure == null ? unreadable(bytes) : failure;
        }
        if (failure != null && mark.closed()) {
            throw new StoreIoException(
                    "a slot of the mark can't be read; it may be the later one, and the other says that the store was closed; docs/format.md says"
                            + " what to do if that lasts: reason="
                            + failure.getMessage(),
                    failure);
        }
        return mark;
    }

    /**
     * Both slots as they were read.
     *
     * @param failure why one of them was not delivered, or null; it then counts as one that is damaged
     */
    private record Slots(ByteBuffer bytes, @Nullable StoreIoException failure) {}

    private Slots bothSlots() {
        ByteBuffer bytes = ByteBuffer.allocate(2 * SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        StoreIoException failure = null;
        try (LoomFile file = storage.openToRead(path)) {
            for (int slot = 0; slot < bytes.capacity(); slot += SLOT_LENGTH) {
                try {
                    file.read(bytes.limit(slot + SLOT_LENGTH).position(slot), slot, READ_ATTEMPTS);
                } catch (StoreIoException e) {
                    if (failure != null) {
                        throw e;
                    }
                    failure = e;
                    bytes.put(slot, new byte[SLOT_LENGTH]); // some of it may have come
                }
            }
        }
        return new Slots(bytes.clear(), failure);
    }

    /** Whether the file was never a mark, not even one that is damaged now. A slot that can't be read may be one. */
    boolean isForeign() {
        Slots slots = bothSlots();
        return slots.failure == null && isForeign(slots.bytes);
    }

    private static boolean isForeign(ByteBuffer bytes) {
        return bytes.getLong(0) != MAGIC && bytes.getLong(SLOT_LENGTH) != MAGIC;
    }

    /** An intact slot of a newer format decides, even if the other slot is readable. */
    private void checkNotNewer(ByteBuffer bytes) {
        for (int slot = 0; slot < bytes.capacity(); slot += SLOT_LENGTH) {
            int major = newer(bytes, slot);
            if (major > MAJOR && bytes.getInt(slot + CRC_OFFSET) == crc(bytes, slot)) {
                throw tooNew(major);
            }
        }
    }

    private UnsupportedStoreException tooNew(int major) {
        return new UnsupportedStoreException(
                "store has a newer format: file=" + path + ", major=" + major + ", newest supported=" + MAJOR);
    }

    /**
     * Whether a slot belongs to a mark's session, neither ended nor taken from its owner, or was written before it.
     */
    static boolean ofSession(ByteBuffer bytes, int slot, Mark mark) {
        ProcessId owner = mark.owner().process();
        return bytes.getLong(slot + SEQUENCE_OFFSET) < mark.sequence()
                || (bytes.getLong(slot + STORE_ID_OFFSET) == mark.storeId()
                        && bytes.getLong(slot + NONCE_OFFSET) == mark.sessionNonce()
                        && bytes.getLong(slot + OWNER_OFFSET) == owner.pid()
                        && bytes.getLong(slot + OWNER_OFFSET + Long.BYTES) == owner.start()
                        && (bytes.getShort(slot + FLAGS_OFFSET) & CLOSED) == 0);
    }

    /** The mark in a slot, or null if damaged. */
    static @Nullable Mark slot(ByteBuffer bytes, int slot) {
        return decode(bytes, slot);
    }

    /** Whether no slot is intact and the second was never written, as while a store is being created. One that can't be read may have been. */
    boolean unfinished() {
        Slots slots = bothSlots();
        ByteBuffer bytes = slots.bytes;
        ByteBuffer second = bytes.slice(SLOT_LENGTH, SLOT_LENGTH);
        boolean foreign = bytes.getLong(0) != 0 && bytes.getLong(0) != MAGIC;
        return slots.failure == null
                && !foreign
                && newer(bytes, 0) <= MAJOR
                && decode(bytes, 0) == null
                && second.equals(ByteBuffer.allocate(SLOT_LENGTH));
    }

    private RuntimeException unreadable(ByteBuffer bytes) {
        if (isForeign(bytes)) {
            return new CorruptStoreException("not the mark of a store: file=" + path + ", magic="
                    + Long.toHexString(bytes.getLong(0)) + ", expected=" + Long.toHexString(MAGIC));
        }
        int major = Math.max(newer(bytes, 0), newer(bytes, SLOT_LENGTH));
        if (major > MAJOR) {
            return tooNew(major);
        }
        return new CorruptStoreException(
                "neither slot of the mark is valid: file=" + path + ", offsets=0 and " + SLOT_LENGTH);
    }

    private static int newer(ByteBuffer bytes, int slot) {
        return bytes.getLong(slot) == MAGIC ? bytes.getShort(slot + MAJOR_OFFSET) : 0;
    }

    /** The offsets of the slots that are not intact, among them one that was never written. */
    List<Long> damagedSlots() {
        ByteBuffer bytes = bothSlots().bytes;
        List<Long> damaged = new ArrayList<>();
        for (int slot = 0; slot < bytes.capacity(); slot += SLOT_LENGTH) {
            if (decode(bytes, slot) == null) {
                damaged.add((long) slot);
            }
        }
        return damaged;
    }

    /** The version of a store's files, {@code major.minor}. */
    static String version(Mark mark) {
        return major(mark) + "." + mark.identity().minor();
    }

    private static int major(Mark mark) {
        return mark.compressed() ? MAJOR_COMPRESSED : MAJOR_PLAIN;
    }

    private static int crc(ByteBuffer bytes, int slot) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(slot + CRC_OFFSET).position(slot));
        return (int) crc.getValue();
    }

    private static ByteBuffer encode(Mark mark) {
        ByteBuffer slot = ByteBuffer.allocate(SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        slot.putLong(MAGIC);
        slot.putShort((short) major(mark)).putShort((short) mark.identity().minor());
        slot.putShort((short) PAGE_SHIFT);
        slot.putShort(
                (short) ((mark.closed() ? CLOSED : 0) | INDEX_STATES.indexOf(mark.indexState()) << INDEX_STATE_SHIFT));
        slot.putLong(mark.sequence()).putLong(mark.storeId());
        slot.putInt(mark.epoch()).putInt(0).putLong(mark.sessionNonce());
        slot.putLong(mark.segmentLength()).putLong(mark.checkpoint()).putLong(mark.lastTimeNs());
        slot.putLong(mark.schemaDurable())
                .putLong(mark.file().device())
                .putLong(mark.file().inode());
        ProcessId owner = mark.owner().process();
        slot.putLong(owner.pid()).putLong(owner.start()).putLong(owner.namespace());
        slot.position(LOGS_OFFSET);
        for (LogMark log : mark.contents().logs()) {
            slot.putLong(log.begin())
                    .putLong(log.durable())
                    .putInt(log.ringLength())
                    .putInt(log.ringWanted());
        }
        Rebuild rebuild = mark.rebuild();
        slot.putLong(rebuild.timeBegin()).putLong(rebuild.timeEnd());
        slot.putLong(rebuild.chunkBegin()).putLong(rebuild.chunkEnd());
        slot.putLong(rebuild.done()).putLong(rebuild.to());
        slot.position(TEXTS_OFFSET);
        putText(slot, mark.owner().bootId());
        putText(slot, mark.owner().host());
        putText(slot, mark.staging().toString());
        slot.clear();
        slot.putInt(CRC_OFFSET, crc(slot, 0));
        return slot;
    }

    private static void putText(ByteBuffer slot, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > slot.remaining() - 3 * Integer.BYTES) {
            throw new IllegalArgumentException("path too long for the mark: bytes=" + bytes.length + ", text=" + text);
        }
        slot.putInt(bytes.length).put(bytes);
    }

    private static @Nullable Mark decode(ByteBuffer bytes, int offset) {
        if (bytes.getLong(offset) != MAGIC
                || bytes.getShort(offset + MAJOR_OFFSET) < MAJOR_PLAIN
                || bytes.getShort(offset + MAJOR_OFFSET) > MAJOR
                || bytes.getInt(offset + CRC_OFFSET) != crc(bytes, offset)) {
            return null;
        }
        ByteBuffer slot = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).position(offset + MAJOR_OFFSET);
        boolean compressed = slot.getShort() >= MAJOR_COMPRESSED;
        int minor = slot.getShort();
        slot.getShort();
        int flags = slot.getShort();
        boolean closed = (flags & CLOSED) != 0;
        long sequence = slot.getLong();
        long storeId = slot.getLong();
        int epoch = slot.getInt();
        slot.getInt();
        long nonce = slot.getLong();
        long segmentLength = slot.getLong();
        long checkpoint = slot.getLong();
        long lastTimeNs = slot.getLong();
        long schemaDurable = slot.getLong();
        FileId file = new FileId(slot.getLong(), slot.getLong());
        ProcessId owner = new ProcessId(slot.getLong(), slot.getLong(), slot.getLong());
        slot.position(offset + LOGS_OFFSET);
        List<LogMark> logs = new ArrayList<>();
        for (int i = 0; i < LogKind.values().length; i++) {
            long begin = slot.getLong();
            long durable = slot.getLong();
            int ringLength = slot.getInt();
            int ringWanted = slot.getInt();
            logs.add(new LogMark(ringLength, ringWanted == 0 ? ringLength : ringWanted, begin, durable));
        }
        Rebuild rebuild = new Rebuild(
                slot.getLong(), slot.getLong(), slot.getLong(), slot.getLong(), slot.getLong(), slot.getLong());
        slot.limit(offset + CRC_OFFSET).position(offset + TEXTS_OFFSET);
        String bootId = getText(slot);
        String host = getText(slot);
        String stagingPath = getText(slot);
        if (bootId == null || host == null || stagingPath == null || stagingPath.indexOf(0) >= 0) {
            return null;
        }
        Mark mark = new Mark(
                sequence,
                new Mark.Identity(storeId, segmentLength, file, minor, compressed),
                new Mark.Session(epoch, closed, new Mark.Owner(owner, bootId, host), nonce, Path.of(stagingPath)),
                new Mark.Contents(List.copyOf(logs), schemaDurable, checkpoint, lastTimeNs),
                rebuild,
                INDEX_STATES.get(flags >> INDEX_STATE_SHIFT & INDEX_STATE_MASK));
        return mark.possible() ? mark : null;
    }

    /** The next text, or null if it does not fit within the slot. */
    private static @Nullable String getText(ByteBuffer slot) {
        int length = slot.remaining() < Integer.BYTES ? -1 : slot.getInt();
        if (length < 0 || length > slot.remaining()) {
            return null;
        }
        byte[] bytes = new byte[length];
        slot.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
