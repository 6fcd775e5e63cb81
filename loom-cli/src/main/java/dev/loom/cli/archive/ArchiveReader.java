package dev.loom.cli.archive;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.input.InputWindow;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads an archive: its schema when it is opened, then record by record. Each block is checked before anything in it is
 * used. What is not as a writer writes it ends the command, and the message names file and offset. Holds the longest block met,
 * as it is stored and plain.
 */
public final class ArchiveReader implements AutoCloseable {
    private final String name;
    private final InputWindow window;
    private final Interruption interruption;
    private final Lz4Decompressor decompressor = new Lz4Decompressor();
    private final BlockBytes block = new BlockBytes();
    private final long archiveId;
    private final ArchiveSchema schema;
    private final Map<Integer, Source> sources;
    private byte[] plain = {};
    private int number;
    private int type;
    private long blockOffset;

    private @Nullable ArchiveEnd end;
    private long records;
    private long bytes;
    private long firstTimeNs = -1;
    private long timeNs;
    private int flags;
    private int sourceId;
    private int slot;
    private int slots;
    private long slotBytes;
    private int offset;
    private int length;

    /**
     * Reads header and schema.
     *
     * @param name the input's, for messages
     */
    public ArchiveReader(String name, InputWindow window, Interruption interruption) throws IOException {
        this.name = name;
        this.window = window;
        this.interruption = interruption;
        this.archiveId = header();
        this.schema = readSchema();
        this.sources = schema.sources().stream().collect(Collectors.toMap(Source::id, Function.identity()));
        beginBlock();
    }

    private long header() throws IOException {
        boolean whole = window.require(ArchiveDescriptor.HEADER_LENGTH);
        ByteBuffer header = bytes();
        if (window.length() >= Long.BYTES && header.getLong(0) != ArchiveDescriptor.MAGIC) {
            throw failure("not a Loom archive", "");
        } else if (!whole) {
            throw truncated();
        } else if (header.getInt(ArchiveDescriptor.HEADER_CRC_OFFSET)
                != ArchiveDescriptor.headerChecksum(window.array(), window.arrayOffset())) {
            throw damaged("checksum of the header differs");
        }
        int major = header.get(ArchiveDescriptor.MAJOR_OFFSET);
        if (major != ArchiveDescriptor.MAJOR && major != ArchiveDescriptor.MAJOR_KEEPING) {
            throw failure(
                    "archive is of a newer version",
                    ", version=" + major + '.' + header.get(ArchiveDescriptor.MINOR_OFFSET) + ", known="
                            + ArchiveDescriptor.MAJOR + ".x and " + ArchiveDescriptor.MAJOR_KEEPING + ".x");
        }
        long id = header.getLong(ArchiveDescriptor.ID_OFFSET);
        window.consume(ArchiveDescriptor.HEADER_LENGTH);
        return id;
    }

    /** The window's bytes, from offset 0 on. */
    private ByteBuffer bytes() {
        return ByteBuffer.wrap(window.array(), window.arrayOffset(), window.length())
                .slice()
                .order(ByteOrder.LITTLE_ENDIAN);
    }

    private ArchiveSchema readSchema() throws IOException {
        ArchiveSchema.Reader reader = new ArchiveSchema.Reader();
        try {
            while (nextBlock() && type != ArchiveDescriptor.RECORDS && type != ArchiveDescriptor.END) {
                if (type == ArchiveDescriptor.SCHEMA) {
                    reader.read(block);
                }
            }
        } catch (BlockBytes.Malformed e) {
            throw damaged(String.valueOf(e.getMessage()));
        }
        return reader.schema();
    }

    /** Moves to the next block, and checks it; false only if interrupted. */
    private boolean nextBlock() throws IOException {
        blockOffset = window.consumedBytes();
        if (!window.require(ArchiveDescriptor.BLOCK_HEADER_LENGTH)) {
            return endedEarly();
        }
        ByteBuffer header = bytes();
        int storedLength = header.getInt(ArchiveDescriptor.STORED_LENGTH_OFFSET);
        int plainLength = header.getInt(ArchiveDescriptor.PLAIN_LENGTH_OFFSET);
        if (plainLength <= 0
                || plainLength > ArchiveDescriptor.PLAIN_LENGTH_MAX
                || storedLength <= 0
                || storedLength > plainLength) {
            throw damaged("lengths of a block are impossible: stored=" + storedLength + ", plain=" + plainLength);
        } else if (!window.require(ArchiveDescriptor.BLOCK_HEADER_LENGTH + storedLength)) {
            return endedEarly();
        }
        int at = window.arrayOffset();
        int stored = at + ArchiveDescriptor.BLOCK_HEADER_LENGTH;
        header = bytes();
        int expected = header.getInt(ArchiveDescriptor.BLOCK_CRC_OFFSET);
        int actual =
                ArchiveDescriptor.blockChecksum(archiveId, window.array(), at, window.array(), stored, storedLength);
        if (expected != actual) {
            throw damaged(String.format("checksum of a block differs: expected=%08x, actual=%08x", expected, actual));
        } else if (header.getInt(ArchiveDescriptor.NUMBER_OFFSET) != number) {
            throw damaged("a block is missing or comes twice: number=" + header.getInt(ArchiveDescriptor.NUMBER_OFFSET)
                    + ", expected=" + number);
        }
        number++;
        type = header.get(ArchiveDescriptor.TYPE_OFFSET);
        load(header.get(ArchiveDescriptor.CODING_OFFSET), stored, storedLength, plainLength);
        window.consume(ArchiveDescriptor.BLOCK_HEADER_LENGTH + storedLength);
        return true;
    }

    private void load(int coding, int stored, int storedLength, int plainLength) {
        if (plain.length < plainLength) {
            plain = new byte[Math.max(plainLength, ArchiveDescriptor.BLOCK_LENGTH * 2)];
        }
        int decoded = -1;
        if (coding == ArchiveDescriptor.PLAIN) {
            decoded = storedLength;
            System.arraycopy(window.array(), stored, plain, 0, storedLength);
        } else if (coding == ArchiveDescriptor.LZ4) {
            try {
                decoded = decompressor.decompress(window.array(), stored, storedLength, plain, 0, plainLength);
            } catch (MalformedInputException | IllegalArgumentException e) {
                throw damaged("compressed bytes are malformed: " + e.getMessage());
            }
        } else {
            throw damaged("coding of a block is unknown: coding=" + coding);
        }
        if (decoded != plainLength) {
            throw damaged("length of a block differs: expected=" + plainLength + ", actual=" + decoded);
        }
        block.wrap(plain, 0, plainLength);
    }

    /** Reads what a block has before its first record. */
    private void beginBlock() throws IOException {
        try {
            if (type == ArchiveDescriptor.RECORDS) {
                long beginNs = block.getLong();
                if (beginNs < timeNs) {
                    throw new BlockBytes.Malformed("time of a record decreases: time=" + beginNs + ", last=" + timeNs);
                }
                timeNs = beginNs;
            } else if (type == ArchiveDescriptor.END) {
                end(ArchiveEnd.read(block));
            } else if (type == ArchiveDescriptor.SCHEMA && !interruption.requested()) {
                throw new BlockBytes.Malformed("schema comes after records");
            } else {
                // of a later version
                block.wrap(plain, 0, 0);
            }
        } catch (BlockBytes.Malformed e) {
            throw damaged(String.valueOf(e.getMessage()));
        }
    }

    private void end(ArchiveEnd read) throws IOException {
        if (!sources.keySet().containsAll(read.lost().keySet()) || read.lost().containsValue(0L)) {
            throw damaged("losses are impossible: lost=" + read.lost());
        } else if (read.records() != records || read.bytes() != bytes) {
            throw damaged("number of records differs: records=" + read.records() + ", bytes=" + read.bytes() + ", read="
                    + records + ", read bytes=" + bytes);
        } else if (window.require(1)) {
            blockOffset = window.consumedBytes();
            throw damaged("something follows the end");
        }
        end = read;
    }

    /** Moves to the next record; false at the end, or if interrupted. */
    public boolean next() throws IOException {
        while (end == null && !block.hasMore()) {
            if (interruption.requested() || !nextBlock()) {
                return false;
            }
            beginBlock();
        }
        if (end != null || interruption.requested()) {
            return false;
        }
        try {
            readRecord();
            return true;
        } catch (BlockBytes.Malformed e) {
            throw damaged(String.valueOf(e.getMessage()));
        }
    }

    private void readRecord() throws BlockBytes.Malformed {
        flags = block.getByte();
        sourceId = block.getNumber("id of a source", Character.MAX_VALUE);
        long sinceNs = block.getVarint();
        Source source = sources.get(sourceId);
        boolean possible = source != null
                && (flags & ~ArchiveDescriptor.FLAGS) == 0
                && (kept() || !forgets())
                && (!refers() || source.format().referredFormat() != null);
        if (!possible || sinceNs >= Long.MAX_VALUE - timeNs) {
            throw new BlockBytes.Malformed("record is impossible: flags=" + flags + ", source=" + sourceId + ", time="
                    + timeNs + "+" + sinceNs);
        }
        timeNs += sinceNs;
        slot = refers() ? block.getNumber("slot", slots - 1) : -1;
        length = block.getNumber("length of a payload", ArchiveDescriptor.PAYLOAD_LENGTH_MAX);
        offset = block.skip(length);
        if (refers() && length < referenceOffset() + Long.BYTES) {
            throw new BlockBytes.Malformed("payload is too short for a reference: length=" + length);
        }
        keep();
        if (!carried()) {
            records++;
            bytes += length;
            firstTimeNs = firstTimeNs < 0 ? timeNs : firstTimeNs;
        }
    }

    private void keep() throws BlockBytes.Malformed {
        if (forgets()) {
            slots = 0;
            slotBytes = 0;
        }
        if (kept()) {
            boolean room = slots == 0
                    || (slots < ArchiveDescriptor.SLOTS_MAX && slotBytes + length <= ArchiveDescriptor.SLOT_BYTES_MAX);
            if (!room) {
                throw new BlockBytes.Malformed("too many records are kept: slots=" + slots + ", bytes=" + slotBytes);
            }
            slots++;
            slotBytes += length;
        }
    }

    public ArchiveSchema schema() {
        return schema;
    }

    /** Identifies the archive, and its copies. */
    public long archiveId() {
        return archiveId;
    }

    /** The time of the first record; negative if none was read. */
    public long firstTimeNs() {
        return firstTimeNs;
    }

    public long timeNs() {
        return timeNs;
    }

    public int sourceId() {
        return sourceId;
    }

    /** The array that holds the payload at {@code [offset(), offset() + length())} until the next record. */
    public byte[] array() {
        return plain;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    /** Whether the records kept so far are no longer needed. */
    public boolean forgets() {
        return (flags & ArchiveDescriptor.FORGET) != 0;
    }

    /** Whether later records may refer to this one, by the number of records kept before it. */
    public boolean kept() {
        return (flags & (ArchiveDescriptor.KEPT | ArchiveDescriptor.CARRIED)) != 0;
    }

    /** Whether the record is there only for those that refer to it. */
    public boolean carried() {
        return (flags & ArchiveDescriptor.CARRIED) != 0;
    }

    /** Whether the record refers to the one in {@link #slot()}. */
    public boolean refers() {
        return (flags & ArchiveDescriptor.REFERS) != 0;
    }

    public int slot() {
        return slot;
    }

    /** The offset of the reference in the payload. */
    public int referenceOffset() {
        Source source = sources.get(sourceId);
        return source == null ? 0 : source.format().referenceOffset();
    }

    /** What the archive says after its last record; null before. */
    public @Nullable ArchiveEnd end() {
        return end;
    }

    /** Bytes of the archive consumed so far. */
    public long consumedBytes() {
        return window.consumedBytes();
    }

    /** Nothing more came: false if interrupted, else the archive is truncated. */
    private boolean endedEarly() {
        if (interruption.requested()) {
            return false;
        }
        throw truncated();
    }

    private CommandFailure truncated() {
        return failure(
                "archive is truncated",
                ", offset=" + (window.consumedBytes() + window.length()) + ", records before=" + records);
    }

    private CommandFailure damaged(String problem) {
        return failure(
                "archive is damaged",
                ", offset=" + blockOffset + ", records before=" + records + ", problem=" + problem);
    }

    private CommandFailure failure(String fact, String values) {
        return new CommandFailure(ExitCode.STORE, fact + ": file=" + name + values);
    }

    @Override
    public void close() {
        window.close();
    }
}
