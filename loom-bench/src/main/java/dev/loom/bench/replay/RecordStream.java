package dev.loom.bench.replay;

import static dev.loom.bench.query.SimulatedCapture.mix;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.Arrays;
import org.agrona.MutableDirectBuffer;

/**
 * The records of one source of a plan, each a function of its number: at equal intervals, with latencies drawn from a curve, except for
 * those of planted events. For one thread.
 */
public final class RecordStream {
    /** The port that packets are for. */
    public static final int REDIS_PORT = 6379;

    private static final long SECOND_NS = 1_000_000_000L;
    private static final int CALL_SLOTS_BITS = 6;
    private static final int PREAD64_SLOTS = 5;
    private static final int THREADS = 8;
    private static final int KEYS = 100_000;
    private static final int FIRST_PORT = 32_768;
    private static final int LOOPBACK = 0x7F00_0001;
    private static final int HEADERS_LENGTH = 66;
    private static final int GET_LENGTH = 30;
    private static final int SET_LENGTH = 44;
    private static final int OK_LENGTH = 5;
    private static final int VALUE_LENGTH = 14;
    private static final int PSH_ACK = 0x18;

    private final ReplayPlan plan;
    private final ReplaySource source;
    private final PlantedEvents events;
    private final long rate;
    private final long records;
    private final long salt;
    private final long sampled;
    private final long[] planted;
    private final int[] plantedEvents;
    private int next;

    public RecordStream(ReplayPlan plan, ReplaySource source) {
        this.plan = plan;
        this.source = source;
        events = new PlantedEvents(plan);
        rate = plan.rate(source);
        salt = mix(mix(plan.seed()) + source.id());
        sampled = (long) (plan.sample() * (1L << Integer.SIZE));
        records = firstFrom(ReplayPlan.BEGIN_NS + plan.lengthNs());
        final long[][] all = PlantedEvents.has(source) ? plantedRecords() : new long[0][];
        planted = Arrays.stream(all).mapToLong(one -> one[0]).toArray();
        plantedEvents = Arrays.stream(all).mapToInt(one -> (int) one[1]).toArray();
    }

    /** Number and event of each planted record, ascending; a number that two events have is the first one's. */
    private long[][] plantedRecords() {
        final long[][] all = new long[events.count()][];
        for (int event = 0; event < all.length; event++) {
            all[event] = new long[] {firstFrom(events.timeNs(source, event)), event};
        }
        Arrays.sort(all, (a, b) -> a[0] == b[0] ? Long.compare(a[1], b[1]) : Long.compare(a[0], b[0]));
        int kept = 0;
        for (final long[] one : all) {
            if (one[0] < records && (kept == 0 || all[kept - 1][0] != one[0])) {
                all[kept++] = one;
            }
        }
        return Arrays.copyOf(all, kept);
    }

    public ReplaySource source() {
        return source;
    }

    /** How many records the run has of this source, before any sampling. */
    public long records() {
        return records;
    }

    /** The numbers of the planted records, ascending. */
    public long[] planted() {
        return planted.clone();
    }

    /** The time of a record, epoch nanoseconds. */
    public long timeNs(long number) {
        return ReplayPlan.BEGIN_NS + number / rate * SECOND_NS + number % rate * SECOND_NS / rate;
    }

    /** The number of the first record at a time or after it; records may end before. */
    public long firstFrom(long timeNs) {
        final long sinceNs = Math.max(0, timeNs - ReplayPlan.BEGIN_NS);
        return sinceNs / SECOND_NS * rate - Math.floorDiv(-(sinceNs % SECOND_NS * rate), SECOND_NS);
    }

    /** Whether the sample has this record. */
    public boolean isOffered(long number) {
        return (mix(number ^ ~salt) >>> Integer.SIZE) < sampled;
    }

    /** The event whose record this is, or a negative number. Quickest when numbers ascend. */
    int event(long number) {
        if ((next > 0 && planted[next - 1] >= number) || (next < planted.length && planted[next] < number)) {
            final int found = Arrays.binarySearch(planted, number);
            next = found < 0 ? -found - 1 : found;
        }
        return next < planted.length && planted[next] == number ? plantedEvents[next] : -1;
    }

    /** Bits that look like chance, the same for a record whenever they are asked for. */
    private long bits(long number) {
        return mix(number + salt);
    }

    /** The system call that a record is about. */
    public int call(long number) {
        return call(bits(number), event(number));
    }

    private int call(long bits, int event) {
        final int slot = (int) bits & ((1 << CALL_SLOTS_BITS) - 1);
        if (source == ReplaySource.ROCKSDB_CALLS) {
            return slot < PREAD64_SLOTS ? SystemCalls.PREAD64 : SystemCalls.WRITE;
        }
        return event >= 0
                ? SystemCalls.RECV
                : switch (slot % 3) {
                    case 0 -> SystemCalls.RECV;
                    case 1 -> SystemCalls.SENDTO;
                    default -> SystemCalls.EPOLL_WAIT;
                };
    }

    /** The latency of a request or system call, ns. */
    public long latencyNs(long number) {
        return latencyNs(bits(number), event(number));
    }

    private long latencyNs(long bits, int event) {
        if (event >= 0) {
            return events.latencyNs(source, event);
        }
        final LatencyCurve curve = switch (source) {
            case REDIS_REQUESTS -> RedisCurves.REQUEST;
            case ROCKSDB_REQUESTS -> isSet(bits) ? RocksDbCurves.PUT : RocksDbCurves.GET;
            default -> ofCall(call(bits, event));
        };
        return curve.draw(mix(bits));
    }

    private static LatencyCurve ofCall(int call) {
        return switch (call) {
            case SystemCalls.RECV -> RedisCurves.RECV;
            case SystemCalls.SENDTO -> RedisCurves.SENDTO;
            case SystemCalls.EPOLL_WAIT -> RedisCurves.EPOLL_WAIT;
            case SystemCalls.PREAD64 -> RocksDbCurves.PREAD64;
            default -> RocksDbCurves.WRITE;
        };
    }

    /** Whether the destination port of a packet was mangled. */
    public boolean isMangled(long number) {
        return source == ReplaySource.REDIS_PACKETS && event(number) >= 0;
    }

    /** Writes a record, and returns its length. */
    public int write(long number, MutableDirectBuffer buffer, int offset) {
        final long bits = bits(number);
        final int event = event(number);
        buffer.putLong(offset + RecordKind.TIME_OFFSET, timeNs(number), LITTLE_ENDIAN);
        buffer.putLong(offset + RecordKind.NUMBER_OFFSET, number, LITTLE_ENDIAN);
        switch (source.kind()) {
            case REQUEST -> {
                buffer.putLong(offset + RecordKind.LATENCY_OFFSET, latencyNs(bits, event), LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.KEY_OFFSET, (bits >>> 1) % KEYS, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.OP_OFFSET, isSet(bits) ? 1 : 0, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.THREAD_OFFSET, thread(bits), LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.BYTES_OFFSET, bits & 0xFF, LITTLE_ENDIAN);
                return source.kind().lengthMax();
            }
            case CALL -> {
                buffer.putLong(offset + RecordKind.LATENCY_OFFSET, latencyNs(bits, event), LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.RET_OFFSET, bits & 0xFF, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.CALL_OFFSET, call(bits, event), LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.THREAD_OFFSET, thread(bits), LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.FD_OFFSET, thread(bits) + 10L, LITTLE_ENDIAN);
                return source.kind().lengthMax();
            }
            case PACKET -> {
                return writePacket(bits, event >= 0, buffer, offset);
            }
            default -> {
                buffer.putLong(offset + RecordKind.INODE_OFFSET, bits & 0x3FF, LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.PAGE_OFFSET, bits >>> 40, LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.PFN_OFFSET, bits >>> 32, LITTLE_ENDIAN);
                buffer.putLong(offset + RecordKind.DEVICE_OFFSET, 259, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.KIND_OFFSET, 1, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.ORDER_OFFSET, 0, LITTLE_ENDIAN);
                buffer.putInt(offset + RecordKind.PID_OFFSET, thread(bits), LITTLE_ENDIAN);
                return source.kind().lengthMax();
            }
        }
    }

    private static int thread(long bits) {
        return (int) (bits >>> 20) & (THREADS - 1);
    }

    /** A fifth of all requests, as in the capture. */
    private static boolean isSet(long bits) {
        return (bits >>> 8 & 0xFFF) < 819;
    }

    /** Requests and their answers in turns, as on loopback; the capture has as many of each. */
    private int writePacket(long bits, boolean mangled, MutableDirectBuffer buffer, int offset) {
        final boolean request = mangled || (bits & 1) == 0;
        final int length = isSet(bits)
                ? (request ? SET_LENGTH : OK_LENGTH)
                : request ? GET_LENGTH : miss(bits) ? OK_LENGTH : VALUE_LENGTH;
        final int client = FIRST_PORT + thread(bits);
        final int port = mangled ? REDIS_PORT ^ 0x0100 : REDIS_PORT;
        buffer.putInt(offset + RecordKind.SRC_OFFSET, LOOPBACK, LITTLE_ENDIAN);
        buffer.putInt(offset + RecordKind.DST_OFFSET, LOOPBACK, LITTLE_ENDIAN);
        buffer.putInt(offset + RecordKind.SEQ_OFFSET, (int) (bits >>> 32), LITTLE_ENDIAN);
        buffer.putInt(offset + RecordKind.ACK_OFFSET, (int) (bits >>> 16), LITTLE_ENDIAN);
        buffer.putShort(offset + RecordKind.SPORT_OFFSET, (short) (request ? client : port), LITTLE_ENDIAN);
        buffer.putShort(offset + RecordKind.DPORT_OFFSET, (short) (request ? port : client), LITTLE_ENDIAN);
        buffer.putShort(offset + RecordKind.FLAGS_OFFSET, (short) PSH_ACK, LITTLE_ENDIAN);
        buffer.putShort(offset + RecordKind.CAPLEN_OFFSET, (short) (HEADERS_LENGTH + length), LITTLE_ENDIAN);
        buffer.putByte(offset + RecordKind.DATA_LENGTH_OFFSET, (byte) length);
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + RecordKind.DATA_OFFSET + i, (byte) ('a' + (bits >>> i & 15)));
        }
        return RecordKind.DATA_OFFSET + length;
    }

    /** Most keys have never been set: 64,610 of 68,168 answers are that short. */
    private static boolean miss(long bits) {
        return (bits >>> 24 & 0xFF) < 239;
    }

    /** The plan that it belongs to. */
    public ReplayPlan plan() {
        return plan;
    }
}
