package dev.loom.store;

import dev.loom.api.Pressure;
import dev.loom.io.FileId;
import dev.loom.io.MappedFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;
import dev.loom.record.LossCounts;
import dev.loom.record.LossSlots;
import dev.loom.record.PressureGauge;
import dev.loom.record.SourceSlots;
import dev.loom.record.SourceTable;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A session's live state, shared through a mapping of the staging file {@code live}. Little-endian.
 * <pre>
 *     0 | magic          8 | store id        16 | session nonce    24 | epoch (4), state (4)
 *    32 | own device    40 | own inode       48 | unused          56 | pressure (4), direct (4)
 *    64 | waits, waited ns, refused
 *   128 | write failures                    136 | sync failed (4), length of the last error (4)
 *   144 | clock ahead, ns                   152 | when the evictor was last heard of, ns
 *   160 | units of the text index that are being built (4)
 *   256 | watermarks of the record log      512 | of the timestamp index      768 | of the chunk index
 *  1024 | the last error, UTF-8, up to 1,024 bytes
 *  2048 | losses by reason and source
 *  4096 | source slots, then loss slots
 * </pre>
 */
final class LiveFile {
    static final long MAGIC = 0x6576_696c_6d6f_6f6cL;

    static final int OPEN = 1;
    static final int CLOSED = 2;

    /** Another writer is taking over the store. */
    static final int FENCED = 3;

    /** The session continues in other staging, because this was deleted. */
    static final int MOVED = 4;

    private static final int STORE_ID_OFFSET = 8;
    private static final int NONCE_OFFSET = 16;
    private static final int EPOCH_OFFSET = 24;
    private static final int STATE_OFFSET = 28;
    private static final int DEVICE_OFFSET = 32;
    private static final int INODE_OFFSET = 40;
    private static final int CLOCK_AHEAD_OFFSET = 144;
    private static final int BEAT_OFFSET = 152;
    private static final int OPEN_UNITS_OFFSET = 160;
    private static final int PRESSURE_OFFSET = 56;
    private static final int DIRECT_OFFSET = 60;
    private static final int GAUGE_OFFSET = 64;
    private static final int FAILURES_OFFSET = 128;
    private static final int SYNC_FAILED_OFFSET = 136;
    private static final int ERROR_LENGTH_OFFSET = 140;
    private static final int WATERMARKS_OFFSET = 256;
    private static final int ERROR_OFFSET = 1024;
    private static final int ERROR_LENGTH_MAX = 1024;
    private static final int COUNTS_OFFSET = 2048;
    private static final int SLOTS_OFFSET = COUNTS_OFFSET + LossCounts.LENGTH;
    private static final int LOSS_OFFSET = SLOTS_OFFSET + SourceSlots.SOURCES_MAX * SourceSlots.SLOT_LENGTH;
    static final int LENGTH = LOSS_OFFSET + LossSlots.HEADER_LENGTH + SourceSlots.SOURCES_MAX * LossSlots.SLOT_LENGTH;

    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final MappedFile file;
    private final ByteBuffer bytes;

    private LiveFile(MappedFile file) {
        this.file = file;
        this.bytes = file.bytes();
    }

    /** Makes the file of a new session. Its slots are empty, its watermarks zero. */
    static LiveFile create(Storage storage, Path path, long storeId, long nonce, int epoch) {
        LiveFile live = new LiveFile(MappedFile.create(storage, path, LENGTH));
        live.slots().clear();
        FileId id = FileId.of(path);
        live.bytes.putLong(STORE_ID_OFFSET, storeId);
        live.bytes.putLong(NONCE_OFFSET, nonce);
        live.bytes.putInt(EPOCH_OFFSET, epoch);
        live.bytes.putLong(DEVICE_OFFSET, id.device());
        live.bytes.putLong(INODE_OFFSET, id.inode());
        live.bytes.putLong(0, MAGIC);
        return live;
    }

    static LiveFile open(Storage storage, Path path) {
        return of(MappedFile.open(storage, path, false));
    }

    static LiveFile of(MappedFile file) {
        return new LiveFile(file);
    }

    /** Sets the session's initial state. */
    void begin(Mark mark, SourceTable table) {
        for (LogKind kind : LogKind.values()) {
            watermarks(kind).reset(mark.begin(kind), mark.durable(kind));
            mark.rebuild().putInto(watermarks(kind), kind);
        }
        table.putInto(slots());
        LossSlots losses = losses();
        table.lost().forEach((id, lost) -> losses.put(id, lost, 0, 0, 0));
        stateRelease(OPEN);
    }

    /** Whether the watermarks are possible for a session that began where the mark says. */
    private boolean plausible(Mark mark) {
        boolean plausible = stateAcquire() != 0;
        for (LogKind kind : LogKind.values()) {
            plausible = plausible
                    && inOrder(watermarks(kind), mark.durable(kind), mark.ringLength(kind))
                    && inOrder(watermarks(kind), mark.rebuild(), kind);
        }
        return plausible && coveredInOrder(watermarks(LogKind.TIME));
    }

    private static boolean coveredInOrder(Watermarks times) {
        // its writer may be moving them meanwhile
        long begin = times.beginAcquire();
        long covered = times.coveredAcquire();
        return covered >= begin && covered <= times.tailAcquire();
    }

    private static boolean inOrder(Watermarks watermarks, long durable, int ringLength) {
        // its writer may be moving them meanwhile
        long tail = watermarks.tailAcquire();
        long begin = watermarks.beginAcquire();
        long known = Math.max(durable, watermarks.durableAcquire());
        long overwritten = watermarks.overwritten();
        long evicted = watermarks.evictedAcquire();
        return PageDescriptor.isPage(begin)
                && begin <= known
                && PageDescriptor.isPage(evicted)
                && evicted >= known
                && evicted >= overwritten
                && tail - evicted <= ringLength
                && watermarks.tailAcquire() >= evicted;
    }

    private static boolean inOrder(Watermarks watermarks, Rebuild rebuild, LogKind kind) {
        long gapBegin = watermarks.gapBeginAcquire();
        return watermarks.gapEnd() == rebuild.end(kind)
                && watermarks.rebuildTo() == rebuild.to()
                && PageDescriptor.isPage(gapBegin)
                && gapBegin >= rebuild.begin(kind)
                && gapBegin <= rebuild.end(kind);
    }

    /** Whether this is the mark's own live file, not a copy. */
    boolean belongsTo(Mark mark) {
        return isOfSession(mark) && plausible(mark);
    }

    /** Whether it belongs to the mark's session, whatever it holds. */
    boolean isOfSession(Mark mark) {
        FileId id = FileId.of(file.path());
        return bytes.capacity() == LENGTH
                && bytes.getLong(0) == MAGIC
                && bytes.getLong(STORE_ID_OFFSET) == mark.storeId()
                && bytes.getLong(NONCE_OFFSET) == mark.sessionNonce()
                && bytes.getLong(DEVICE_OFFSET) == id.device()
                && bytes.getLong(INODE_OFFSET) == id.inode();
    }

    /** The file identity that it records. */
    FileId id() {
        return new FileId(bytes.getLong(DEVICE_OFFSET), bytes.getLong(INODE_OFFSET));
    }

    /** Copies the contents of another live file of the session, except its identity and state. */
    void copyFrom(LiveFile other) {
        file.buffer().putBytes(PRESSURE_OFFSET, other.file.buffer(), PRESSURE_OFFSET, LENGTH - PRESSURE_OFFSET);
    }

    /** Takes over what moves while the writer stands still. */
    void follow(LiveFile other) {
        for (LogKind kind : LogKind.values()) {
            watermarks(kind).follow(other.watermarks(kind));
        }
        LONG.setOpaque(bytes, CLOCK_AHEAD_OFFSET, other.clockAhead());
        LONG.setOpaque(bytes, BEAT_OFFSET, (long) LONG.getOpaque(other.bytes, BEAT_OFFSET));
        openUnits(other.openUnits());
        failures(other.writeFailures(), other.syncFailed(), other.error());
    }

    MappedFile file() {
        return file;
    }

    int stateAcquire() {
        return (int) INT.getAcquire(bytes, STATE_OFFSET);
    }

    void stateRelease(int state) {
        INT.setRelease(bytes, STATE_OFFSET, state);
    }

    /** Shows that the evictor is not stuck, and how far arrival times lead the wall clock. */
    void beat(long clockAheadNs) {
        LONG.setOpaque(bytes, CLOCK_AHEAD_OFFSET, clockAheadNs);
        LONG.setOpaque(bytes, BEAT_OFFSET, System.nanoTime());
    }

    /** How long ago the evictor was last heard of, ns; 0 if that is unknown. For a process of the same boot. */
    long silenceNs() {
        long heard = (long) LONG.getOpaque(bytes, BEAT_OFFSET);
        return heard == 0 ? 0 : System.nanoTime() - heard;
    }

    /** How far arrival times lead the wall clock, ns. */
    long clockAhead() {
        return (long) LONG.getOpaque(bytes, CLOCK_AHEAD_OFFSET);
    }

    /** Shows how pages are written, and what is done when there is no room. */
    void modes(boolean direct, Pressure pressure) {
        INT.setOpaque(bytes, DIRECT_OFFSET, direct ? 1 : 0);
        INT.setOpaque(bytes, PRESSURE_OFFSET, pressure == Pressure.DROP_NEWEST ? 1 : 0);
    }

    boolean direct() {
        return (int) INT.getOpaque(bytes, DIRECT_OFFSET) != 0;
    }

    Pressure pressure() {
        return (int) INT.getOpaque(bytes, PRESSURE_OFFSET) == 1 ? Pressure.DROP_NEWEST : Pressure.WAIT;
    }

    /** Shows how many units of the text index are being built. */
    void openUnits(int units) {
        INT.setOpaque(bytes, OPEN_UNITS_OFFSET, units);
    }

    int openUnits() {
        return (int) INT.getOpaque(bytes, OPEN_UNITS_OFFSET);
    }

    PressureGauge gauge() {
        return new PressureGauge(bytes, GAUGE_OFFSET);
    }

    Watermarks watermarks(LogKind kind) {
        return new Watermarks(bytes, WATERMARKS_OFFSET + kind.index() * Watermarks.LENGTH);
    }

    SourceSlots slots() {
        return new SourceSlots(bytes, SLOTS_OFFSET, SourceSlots.SOURCES_MAX);
    }

    LossCounts lossCounts() {
        return new LossCounts(bytes, COUNTS_OFFSET);
    }

    LossSlots losses() {
        return new LossSlots(bytes, LOSS_OFFSET, SourceSlots.SOURCES_MAX);
    }

    /** Shows readers the evictor's failures. An empty message means that none persists. */
    void failures(long writeFailures, boolean syncFailed, String message) {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, ERROR_LENGTH_MAX);
        INT.setRelease(bytes, ERROR_LENGTH_OFFSET, 0);
        bytes.put(ERROR_OFFSET, text, 0, length);
        LONG.setOpaque(bytes, FAILURES_OFFSET, writeFailures);
        INT.setOpaque(bytes, SYNC_FAILED_OFFSET, syncFailed ? 1 : 0);
        INT.setRelease(bytes, ERROR_LENGTH_OFFSET, length);
    }

    long writeFailures() {
        return (long) LONG.getOpaque(bytes, FAILURES_OFFSET);
    }

    boolean syncFailed() {
        return (int) INT.getOpaque(bytes, SYNC_FAILED_OFFSET) != 0;
    }

    /** The persisting failure, or an empty text. */
    String error() {
        int length = Math.min((int) INT.getAcquire(bytes, ERROR_LENGTH_OFFSET), ERROR_LENGTH_MAX);
        byte[] text = new byte[Math.max(length, 0)];
        bytes.get(ERROR_OFFSET, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
