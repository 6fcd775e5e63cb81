package dev.loom.otlp.wire;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A position in a protobuf message, which moves from field to field and into nested messages. It accepts exactly what
 * protobuf-java accepts: overlong tags and lengths are cut to 32 bits, a group is skipped as one field, and messages and
 * groups nest {@link #DEPTH_MAX} deep.
 *
 * <pre>
 *     reader.wrap(buffer, offset, length);
 *     while (reader.next()) {
 *         switch (reader.tag()) {
 *             case TIME -> time = reader.value();
 *             case BODY -> {
 *                 int end = reader.enter();
 *                 while (reader.next()) ...
 *                 reader.leave(end);
 *             }
 *             default -> {}  // unknown, or not of the expected wire type: ignored
 *         }
 *     }
 *     if (reader.failure() != null) ...
 * </pre>
 *
 * <p>A failure ends all loops at any depth, and stays until the next {@link #wrap}. Once wrapped, it allocates nothing,
 * throws nothing and never leaves its range. Reused; for one thread.
 */
public final class WireReader {
    /** How deep messages and groups may nest within the wrapped message. */
    public static final int DEPTH_MAX = 100;

    /** The length of the longest varint, in bytes. */
    public static final int VARINT_LENGTH_MAX = 10;

    private static final int VARINT_BITS = 7;
    /** Beyond every end, so that nothing is read after a failure. */
    private static final int FAILED = Integer.MAX_VALUE;

    private DirectBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int position;
    private int end;
    private int depth;
    private int groups;

    private int fieldOffset;
    private int tag;
    private long value;
    private int offset;

    private @Nullable WireFailure failure;
    private int failureOffset;

    /** A reader of an empty message. */
    public WireReader() {}

    /**
     * Starts with the message in {@code [offset, offset + length)} of a buffer.
     *
     * @throws IndexOutOfBoundsException if the buffer has no such range
     */
    public void wrap(DirectBuffer newBuffer, int newOffset, int newLength) {
        newBuffer.boundsCheck(newOffset, newLength);
        buffer = newBuffer;
        position = newOffset;
        end = newOffset + newLength;
        depth = 0;
        groups = 0;
        failure = null;
    }

    /** Moves to the next field of the message. Returns false at the end of the message and after a failure. */
    public boolean next() {
        int at = position;
        if (at >= end) {
            return false;
        }
        fieldOffset = at;
        int first = buffer.getByte(at);
        if (first >= 0) {
            tag = first;
            position = at + 1;
        } else if (readVarint(at)) {
            tag = (int) value;
        } else {
            return false;
        }
        if (tag >>> WireType.BITS == 0) {
            return fail(WireFailure.INVALID_TAG);
        }
        return switch (tag & WireType.MASK) {
            case WireType.VARINT -> {
                offset = position;
                yield readVarint(position);
            }
            case WireType.FIXED64 -> readFixed64();
            case WireType.LENGTH -> readLength();
            case WireType.FIXED32 -> readFixed32();
            case WireType.START_GROUP -> skipGroup();
            case WireType.END_GROUP -> groups > 0 || fail(WireFailure.UNMATCHED_END_GROUP);
            default -> fail(WireFailure.INVALID_WIRE_TYPE);
        };
    }

    /**
     * Moves to the next field with this tag, skipping all others; like repeated {@link #next}, but faster.
     *
     * @param wanted {@code number << 3 | wireType}
     */
    public boolean nextOf(int wanted) {
        boolean more;
        do {
            passOthers(wanted);
            more = next();
        } while (more && tag != wanted);
        return more;
    }

    /** Skips fields of the usual kinds: a tag, and a length or varint, of one byte each. */
    private void passOthers(int wanted) {
        int at = position;
        int limit = end;
        boolean usual = true;
        while (usual && limit - at > 1) {
            int first = buffer.getByte(at);
            int fieldEnd = first > WireType.MASK && first != wanted ? usualEnd(first, at) : FAILED;
            usual = fieldEnd <= limit;
            at = usual ? fieldEnd : at;
        }
        position = at;
    }

    /** Where a field of at least two bytes ends, perhaps beyond the message; {@link #FAILED} for unusual ones. */
    private int usualEnd(int first, int at) {
        int wireType = first & WireType.MASK;
        if (wireType == WireType.FIXED64) {
            return at + 1 + Long.BYTES;
        }
        int second = buffer.getByte(at + 1);
        if (second < 0 || (wireType != WireType.LENGTH && wireType != WireType.VARINT)) {
            return FAILED;
        }
        return at + 2 + (wireType == WireType.LENGTH ? second : 0);
    }

    /** Reads a varint into {@link #value}, and moves past it. */
    private boolean readVarint(int at) {
        int limit = end;
        if (at < limit) {
            int b = buffer.getByte(at);
            if (b >= 0) {
                value = b;
                position = at + 1;
                return true;
            }
        }
        return readLongVarint(at, limit);
    }

    private boolean readLongVarint(int start, int limit) {
        long result = 0;
        int at = start;
        for (int shift = 0; shift < VARINT_LENGTH_MAX * VARINT_BITS; shift += VARINT_BITS) {
            if (at >= limit) {
                return fail(WireFailure.TRUNCATED);
            }
            byte b = buffer.getByte(at++);
            result |= (long) (b & 0x7F) << shift;
            if (b >= 0) {
                value = result;
                position = at;
                return true;
            }
        }
        return fail(WireFailure.VARINT_TOO_LONG);
    }

    private boolean readFixed64() {
        int at = position;
        if (end - at < Long.BYTES) {
            return fail(WireFailure.TRUNCATED);
        }
        offset = at;
        value = buffer.getLong(at, ByteOrder.LITTLE_ENDIAN);
        position = at + Long.BYTES;
        return true;
    }

    private boolean readFixed32() {
        int at = position;
        if (end - at < Integer.BYTES) {
            return fail(WireFailure.TRUNCATED);
        }
        offset = at;
        value = Integer.toUnsignedLong(buffer.getInt(at, ByteOrder.LITTLE_ENDIAN));
        position = at + Integer.BYTES;
        return true;
    }

    private boolean readLength() {
        if (!readVarint(position)) {
            return false;
        }
        int length = (int) value;
        if (length < 0) {
            return fail(WireFailure.NEGATIVE_LENGTH);
        }
        if (length > end - position) {
            return fail(WireFailure.TRUNCATED);
        }
        offset = position;
        position += length;
        return true;
    }

    private boolean skipGroup() {
        int start = fieldOffset;
        int startTag = tag;
        int contentOffset = position;
        if (depth >= DEPTH_MAX) {
            return fail(WireFailure.TOO_DEEP);
        }
        depth++;
        groups++;
        int endTag = startTag - WireType.START_GROUP + WireType.END_GROUP;
        do {
            if (!next()) {
                fieldOffset = start;
                return failure == null && fail(WireFailure.TRUNCATED);
            }
        } while ((tag & WireType.MASK) != WireType.END_GROUP);
        if (tag != endTag) {
            return fail(WireFailure.UNMATCHED_END_GROUP);
        }
        groups--;
        depth--;
        fieldOffset = start;
        tag = startTag;
        offset = contentOffset;
        value = 0;
        return true;
    }

    private boolean fail(WireFailure why) {
        failure = why;
        failureOffset = fieldOffset;
        position = FAILED;
        return false;
    }

    /** Fails because the field is not what its message's definition requires. Returns false. */
    public boolean reject(WireFailure why) {
        return fail(why);
    }

    /** The number and wire type of the field: {@code number << 3 | wireType}. */
    public int tag() {
        return tag;
    }

    /** The number of the field. */
    public int number() {
        return tag >>> WireType.BITS;
    }

    /** The {@link WireType} of the field; a whole group counts as {@link WireType#START_GROUP}. */
    public int wireType() {
        return tag & WireType.MASK;
    }

    /** The value of a varint, or the 64 or 32 bits of a fixed value; 32 bits as an unsigned number. */
    public long value() {
        return value;
    }

    /** The value of a 64-bit field as a double. */
    public double doubleValue() {
        return Double.longBitsToDouble(value);
    }

    /** Where the field's value begins in the buffer; for {@link WireType#LENGTH}, the first byte after the length. */
    public int offset() {
        return offset;
    }

    /** The length of a {@link WireType#LENGTH} field's value, in bytes. */
    public int length() {
        return (int) value;
    }

    /** Where the field begins in the buffer, including its tag. */
    public int fieldOffset() {
        return fieldOffset;
    }

    /** Where the field ends in the buffer; valid before {@link #enter}. */
    public int fieldEnd() {
        return position;
    }

    /** The wrapped buffer. */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Enters the message in the current {@link WireType#LENGTH} field: {@link #next} moves over its fields.
     *
     * @return what to pass to {@link #leave}
     */
    public int enter() {
        int outerEnd = end;
        if (depth >= DEPTH_MAX) {
            fail(WireFailure.TOO_DEEP);
        } else {
            position = offset;
            end = offset + (int) value;
        }
        depth++;
        return outerEnd;
    }

    /** How deep the reader is in messages and groups within the wrapped message. */
    public int depth() {
        return depth;
    }

    /** Moves past the message entered last, from any position in it. */
    public void leave(int outerEnd) {
        depth--;
        if (failure == null) {
            position = end;
        }
        end = outerEnd;
    }

    /** Why the message can't be read further; null if it can. */
    public @Nullable WireFailure failure() {
        return failure;
    }

    /** Where in the buffer the malformed field begins. */
    public int failureOffset() {
        return failureOffset;
    }
}
