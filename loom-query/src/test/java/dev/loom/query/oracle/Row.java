package dev.loom.query.oracle;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A record of the oracle's stores, as it was read: its fields decoded and its indexed values computed here, knowing nothing
 * of the code under test.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Row(
        long address,
        long timeNs,
        long i,
        @Nullable Long u,
        @Nullable Double d,
        float f,
        byte[] payload) {
    static final PayloadFormat FORMAT = Formats.parse("struct:i:i64,u:u64?,d:f64?,f:f32,pad:bytes");

    /** In place of the infinities, so that all values compare. */
    static final BigDecimal INFINITY = new BigDecimal("1e400");

    private static final int I_OFFSET = 1;
    private static final int U_OFFSET = 9;
    private static final int D_OFFSET = 17;
    private static final int F_OFFSET = 25;
    private static final int PAD_OFFSET = 29;

    static byte[] encode(long i, @Nullable Long u, @Nullable Double d, float f, int pad) {
        ByteBuffer buffer = ByteBuffer.allocate(PAD_OFFSET + 5 + pad).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(0, (byte) ((u == null ? 0 : 1) | (d == null ? 0 : 2)));
        buffer.putLong(I_OFFSET, i);
        buffer.putLong(U_OFFSET, u == null ? 0 : u);
        buffer.putDouble(D_OFFSET, d == null ? 0 : d);
        buffer.putFloat(F_OFFSET, f);
        buffer.position(PAD_OFFSET);
        int rest = pad;
        while (rest >= 0x80) {
            buffer.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.put((byte) rest);
        byte[] payload = new byte[buffer.position() + pad];
        System.arraycopy(buffer.array(), 0, payload, 0, buffer.position());
        return payload;
    }

    static Row decode(long address, long timeNs, DirectBuffer from, int offset, int length) {
        byte[] payload = new byte[length];
        from.getBytes(offset, payload);
        ByteBuffer buffer = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
        int present = buffer.get(0);
        return new Row(
                address,
                timeNs,
                buffer.getLong(I_OFFSET),
                (present & 1) == 0 ? null : buffer.getLong(U_OFFSET),
                (present & 2) == 0 ? null : buffer.getDouble(D_OFFSET),
                buffer.getFloat(F_OFFSET),
                payload);
    }

    /** A function of the program's own: no value for odd i, throws for one in a hundred. */
    static IndexFunction lambda() {
        return IndexFunction.of("even", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, value) -> {
            long i = buffer.getLong(offset + I_OFFSET, ByteOrder.LITTLE_ENDIAN);
            if (i % 100 == 14) {
                throw new IllegalStateException("a function may throw");
            }
            if (i % 2 == 0) {
                value.setInteger(i / 2);
            }
        });
    }

    /** The value of an index function for this record; null for none. */
    @Nullable
    BigDecimal value(IndexFunction function) {
        if (function.isLambda()) {
            return i % 100 == 14 || i % 2 != 0 ? null : BigDecimal.valueOf(i / 2);
        }
        return switch (function.name()) {
            case "i" -> ofInteger(BigInteger.valueOf(i), function.type());
            case "u" -> u == null ? null : ofInteger(new BigInteger(Long.toUnsignedString(u)), function.type());
            case "d" -> d == null ? null : ofDouble(d, function.type());
            case "f" -> ofDouble(f, function.type());
            default -> throw new IllegalStateException(function.text());
        };
    }

    private static @Nullable BigDecimal ofInteger(BigInteger value, ValueType type) {
        return type == ValueType.F64 ? new BigDecimal(value.doubleValue()) : fit(value, type);
    }

    private static @Nullable BigDecimal ofDouble(double value, ValueType type) {
        if (Double.isNaN(value)) {
            return null;
        }
        if (type != ValueType.F64) {
            return Double.isInfinite(value) || value != Math.rint(value)
                    ? null
                    : fit(new BigDecimal(value).toBigInteger(), type);
        }
        return Double.isInfinite(value) ? value > 0 ? INFINITY : INFINITY.negate() : new BigDecimal(value);
    }

    private static @Nullable BigDecimal fit(BigInteger value, ValueType type) {
        boolean fits = type == ValueType.I64
                ? value.bitLength() < Long.SIZE
                : value.signum() >= 0 && value.bitLength() <= Long.SIZE;
        return fits ? new BigDecimal(value) : null;
    }
}
