package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/** Writes records as InfluxDB's line protocol: few values as tags, which are indexed, and all else as fields. For one thread. */
final class LineProtocol {
    private static final int FIRST_CAPACITY = 1 << 20;

    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer(FIRST_CAPACITY);
    private int length;
    private int lines;

    int lines() {
        return lines;
    }

    /** The lines so far. */
    byte[] bytes() {
        final byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    void clear() {
        length = 0;
        lines = 0;
    }

    /** Adds a record. */
    void add(ReplaySource source, DirectBuffer record, int offset) {
        put(source.text());
        switch (source.kind()) {
            case REQUEST -> {
                put(",op=");
                put(record.getInt(offset + RecordKind.OP_OFFSET, LITTLE_ENDIAN));
                number(record, offset);
                longField(",latency_ns=", record, offset + RecordKind.LATENCY_OFFSET);
                longField(",key=", record, offset + RecordKind.KEY_OFFSET);
                intField(",thread=", record, offset + RecordKind.THREAD_OFFSET);
                longField(",bytes=", record, offset + RecordKind.BYTES_OFFSET);
            }
            case CALL -> {
                put(",call=");
                put(record.getInt(offset + RecordKind.CALL_OFFSET, LITTLE_ENDIAN));
                number(record, offset);
                longField(",latency_ns=", record, offset + RecordKind.LATENCY_OFFSET);
                longField(",ret=", record, offset + RecordKind.RET_OFFSET);
                intField(",thread=", record, offset + RecordKind.THREAD_OFFSET);
                longField(",fd=", record, offset + RecordKind.FD_OFFSET);
            }
            case PACKET -> {
                number(record, offset);
                intField(",src=", record, offset + RecordKind.SRC_OFFSET);
                intField(",dst=", record, offset + RecordKind.DST_OFFSET);
                intField(",seq=", record, offset + RecordKind.SEQ_OFFSET);
                intField(",ack=", record, offset + RecordKind.ACK_OFFSET);
                shortField(",sport=", record, offset + RecordKind.SPORT_OFFSET);
                shortField(",dport=", record, offset + RecordKind.DPORT_OFFSET);
                shortField(",tcp_flags=", record, offset + RecordKind.FLAGS_OFFSET);
                shortField(",caplen=", record, offset + RecordKind.CAPLEN_OFFSET);
                put(",data=\"");
                final int data = record.getByte(offset + RecordKind.DATA_LENGTH_OFFSET);
                buffer.putBytes(length, record, offset + RecordKind.DATA_OFFSET, data);
                length += data;
                put("\"");
            }
            case CACHE_EVENT -> {
                put(",kind=");
                put(record.getInt(offset + RecordKind.KIND_OFFSET, LITTLE_ENDIAN));
                number(record, offset);
                longField(",inode=", record, offset + RecordKind.INODE_OFFSET);
                longField(",page=", record, offset + RecordKind.PAGE_OFFSET);
                longField(",pfn=", record, offset + RecordKind.PFN_OFFSET);
                longField(",device=", record, offset + RecordKind.DEVICE_OFFSET);
                intField(",folio_order=", record, offset + RecordKind.ORDER_OFFSET);
                intField(",pid=", record, offset + RecordKind.PID_OFFSET);
            }
        }
        put(" ");
        put(record.getLong(offset + RecordKind.TIME_OFFSET, LITTLE_ENDIAN));
        put("\n");
        lines++;
    }

    private void number(DirectBuffer record, int offset) {
        longField(" number=", record, offset + RecordKind.NUMBER_OFFSET);
    }

    private void longField(String name, DirectBuffer record, int offset) {
        field(name, record.getLong(offset, LITTLE_ENDIAN));
    }

    private void intField(String name, DirectBuffer record, int offset) {
        field(name, record.getInt(offset, LITTLE_ENDIAN));
    }

    private void shortField(String name, DirectBuffer record, int offset) {
        field(name, record.getShort(offset, LITTLE_ENDIAN) & 0xFFFF);
    }

    private void field(String name, long value) {
        put(name);
        put(value);
        put("i");
    }

    private void put(String text) {
        length += buffer.putStringWithoutLengthAscii(length, text);
    }

    private void put(long value) {
        length += buffer.putLongAscii(length, value);
    }
}
