package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.api.RecordClaim;
import dev.loom.cli.archive.ArchiveReader;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The records of one archive that others refer to, and where they are in the store. One that lies in an earlier segment than a
 * record that refers to it is written once more, since retention deletes segments. For the store's writer thread.
 */
final class KeptRecords {
    private static final long NOWHERE = -1;

    /** The bits of a reference that are not its address. */
    private static final long REFERENCE_BITS = 7;

    /** A claim of a record fails if the one it refers to has just filled a segment; the next follows in the same one. */
    private static final int ATTEMPTS = 4;

    private static final class Kept {
        private final int sourceId;
        private final byte[] payload;
        private long address;

        private Kept(int sourceId, byte[] payload, long address) {
            this.sourceId = sourceId;
            this.payload = payload;
            this.address = address;
        }
    }

    private final WaitingWriter writer;
    private final Loom loom;
    private final long segmentBytes;
    private final List<Kept> slots = new ArrayList<>();

    KeptRecords(WaitingWriter writer) {
        this.writer = writer;
        this.loom = writer.loom();
        this.segmentBytes = loom.info().segmentBytes();
    }

    /** Takes the record into the next slot; an address is that of its copy in the store. */
    void keep(ArchiveReader record, int sourceId, long address) {
        if (record.forgets()) {
            slots.clear();
        }
        byte[] payload = Arrays.copyOfRange(record.array(), record.offset(), record.offset() + record.length());
        slots.add(new Kept(sourceId, payload, address));
    }

    /** Takes a record that is not in the store. */
    void keep(ArchiveReader record, int sourceId) {
        keep(record, sourceId, NOWHERE);
    }

    /**
     * Pushes a record that refers to the one in its slot.
     *
     * @return its address, or a negative status
     */
    long push(ArchiveReader record, int sourceId, UnsafeBuffer payload) {
        Kept kept = slots.get(record.slot());
        int at = record.offset() + record.referenceOffset();
        long bits = payload.getLong(at, ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ATTEMPTS; i++) {
            // only the claim shows which segment the record will be in
            long address = writer.claim(sourceId, Math.min(record.length(), loom.claimLengthMax()));
            if (address < 0) {
                return address;
            }
            RecordClaim claim = loom.claimed();
            if (kept.address >= address - address % segmentBytes) {
                payload.putLong(at, kept.address | (bits & REFERENCE_BITS), ByteOrder.LITTLE_ENDIAN);
                if (record.length() > loom.claimLengthMax()) {
                    claim.abort();
                    return writer.push(sourceId, payload, record.offset(), record.length());
                }
                claim.buffer().putBytes(claim.offset(), payload, record.offset(), record.length());
                return claim.commit();
            }
            claim.abort();
            long status = writer.push(kept.sourceId, new UnsafeBuffer(kept.payload), 0, kept.payload.length);
            if (status < 0) {
                return status;
            }
            kept.address = status;
        }
        throw new IllegalStateException("record and the one it refers to fit no segment: length=" + record.length());
    }
}
