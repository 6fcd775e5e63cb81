package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;

/**
 * What a record is about, and its layout: packed little-endian fields, the same bytes in all systems that take bytes.
 *
 * <pre>
 *  0        8        16           24
 *  +--------+--------+------------+---------------------------+
 *  | ts_ns  | number | latency_ns | what else the kind has    |   latency_ns: of requests and system calls
 *  +--------+--------+------------+---------------------------+
 * </pre>
 */
public enum RecordKind {
    /** A request of an application. */
    REQUEST("struct:ts_ns:i64,number:i64,latency_ns:i64,key:i64,op:i32,thread:i32,bytes:i64", 48, true),
    /** A system call. */
    CALL("struct:ts_ns:i64,number:i64,latency_ns:i64,ret:i64,call:i32,thread:i32,fd:i64", 48, true),
    /** A packet; the bytes of its data follow their number, which takes one byte. */
    PACKET(
            "struct:ts_ns:i64,number:i64,src:u32,dst:u32,seq:u32,ack:u32,sport:u16,dport:u16,tcp_flags:u16,caplen:u16,"
                    + "data:bytes",
            40 + 1 + 44,
            false),
    /** An event of the page cache. */
    CACHE_EVENT(
            "struct:ts_ns:i64,number:i64,inode:i64,page:i64,pfn:i64,device:i64,kind:i32,folio_order:i32,pid:i32",
            60,
            false);

    /** Offset of the time of a record, epoch nanoseconds. */
    public static final int TIME_OFFSET = 0;

    /** Offset of its number among those of its source, from 0. */
    public static final int NUMBER_OFFSET = TIME_OFFSET + Long.BYTES;

    /** Offset of a latency, ns. */
    public static final int LATENCY_OFFSET = NUMBER_OFFSET + Long.BYTES;

    static final int KEY_OFFSET = LATENCY_OFFSET + Long.BYTES;
    static final int OP_OFFSET = KEY_OFFSET + Long.BYTES;
    static final int THREAD_OFFSET = OP_OFFSET + Integer.BYTES;
    static final int BYTES_OFFSET = THREAD_OFFSET + Integer.BYTES;

    static final int RET_OFFSET = KEY_OFFSET;
    static final int CALL_OFFSET = OP_OFFSET;
    static final int FD_OFFSET = BYTES_OFFSET;

    static final int SRC_OFFSET = NUMBER_OFFSET + Long.BYTES;
    static final int DST_OFFSET = SRC_OFFSET + Integer.BYTES;
    static final int SEQ_OFFSET = DST_OFFSET + Integer.BYTES;
    static final int ACK_OFFSET = SEQ_OFFSET + Integer.BYTES;
    static final int SPORT_OFFSET = ACK_OFFSET + Integer.BYTES;
    static final int DPORT_OFFSET = SPORT_OFFSET + Short.BYTES;
    static final int FLAGS_OFFSET = DPORT_OFFSET + Short.BYTES;
    static final int CAPLEN_OFFSET = FLAGS_OFFSET + Short.BYTES;
    static final int DATA_LENGTH_OFFSET = CAPLEN_OFFSET + Short.BYTES;
    static final int DATA_OFFSET = DATA_LENGTH_OFFSET + Byte.BYTES;

    static final int INODE_OFFSET = NUMBER_OFFSET + Long.BYTES;
    static final int PAGE_OFFSET = INODE_OFFSET + Long.BYTES;
    static final int PFN_OFFSET = PAGE_OFFSET + Long.BYTES;
    static final int DEVICE_OFFSET = PFN_OFFSET + Long.BYTES;
    static final int KIND_OFFSET = DEVICE_OFFSET + Long.BYTES;
    static final int ORDER_OFFSET = KIND_OFFSET + Integer.BYTES;
    static final int PID_OFFSET = ORDER_OFFSET + Integer.BYTES;

    /** The sum of all fields of a packet, for which each is read, as by somebody who wants to see the packets. */
    static long packetSum(DirectBuffer packet, int at) {
        long sum = packet.getLong(at + TIME_OFFSET, LITTLE_ENDIAN) + packet.getLong(at + NUMBER_OFFSET, LITTLE_ENDIAN);
        for (int i = SRC_OFFSET; i < SPORT_OFFSET; i += Integer.BYTES) {
            sum += packet.getInt(at + i, LITTLE_ENDIAN);
        }
        for (int i = SPORT_OFFSET; i < DATA_LENGTH_OFFSET; i += Short.BYTES) {
            sum += packet.getShort(at + i, LITTLE_ENDIAN);
        }
        for (int i = packet.getByte(at + DATA_LENGTH_OFFSET) - 1; i >= 0; i--) {
            sum += packet.getByte(at + DATA_OFFSET + i);
        }
        return sum;
    }

    private final String format;
    private final int lengthMax;
    private final boolean latency;

    RecordKind(String format, int lengthMax, boolean latency) {
        this.format = format;
        this.lengthMax = lengthMax;
        this.latency = latency;
    }

    /** The payload format, as text. */
    public String format() {
        return format;
    }

    /** Bytes of the longest record. */
    public int lengthMax() {
        return lengthMax;
    }

    /** Whether its records have a latency. */
    public boolean hasLatency() {
        return latency;
    }
}
