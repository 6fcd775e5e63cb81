package dev.loom.format;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes the records of a Java {@code record} class as payloads of a struct, and reads them back:
 *
 * <pre>{@code
 * record Request(long latencyNs, @StructField(type = Field.Type.U16) int status, String path) {}
 *
 * static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class);
 *
 * int requests = loom.defineSource("requests", REQUESTS.format());
 * loom.push(requests, REQUESTS, new Request(latencyNs, status, path));
 * }</pre>
 *
 * <p>Each component is a field, in declared order, named as the component with underscores: {@code latency_ns}, whose
 * unit is that of the name. Types:
 *
 * <table>
 * <caption>Components and their fields</caption>
 * <tr><th>component</th><th>field</th></tr>
 * <tr><td>{@code byte short int long}</td><td>{@code i8 i16 i32 i64}</td></tr>
 * <tr><td>{@code float double}</td><td>{@code f32 f64}</td></tr>
 * <tr><td>{@code boolean}</td><td>{@code bool}</td></tr>
 * <tr><td>{@code String byte[]}</td><td>{@code utf8 bytes}</td></tr>
 * <tr><td>one of the first three rows, boxed</td><td>the same, optional: null is no value</td></tr>
 * </table>
 *
 * <p>{@link StructField} gives a field another name or type, or makes a text or bytes optional. The type must have no
 * value that the component can't hold: {@code u16} fits an {@code int}, {@code u32} a {@code long}. A {@code long}
 * holds the bits of a {@code u64}.
 *
 * <p>Writing allocates nothing; reading allocates the record, and its texts, bytes and boxed values. The class is
 * inspected once, by {@link #of}, which takes milliseconds; keep the codec in a static field. Immutable, usable from any
 * thread.
 *
 * @param <R> the record class
 */
public final class StructCodec<R extends Record> {
    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    /** What a codec's own class does. A payload lies from start to end of its buffer. */
    interface Access {
        long length(Record record) throws Throwable;

        int write(Record record, MutableDirectBuffer buffer, int start, int end) throws Throwable;

        Record read(DirectBuffer buffer, int start, int end) throws Throwable;
    }

    private final RecordShape shape;
    private final Class<R> type;
    private final StructFormat format;
    private final int lengthMin;
    private final Access access;

    private StructCodec(Class<R> type, RecordShape shape, StructFormat format) {
        this.type = type;
        this.shape = shape;
        this.format = format;
        lengthMin = format.lengthMin();
        access = access(new StructHandles(shape, format));
    }

    /**
     * The codec of a record class on the class path, or in a module that exports it as a public class or opens its package to
     * {@code dev.loom.core}.
     *
     * @throws IllegalArgumentException if the class is not accessible, a component's type is not supported, or the fields
     *     make no struct; the message names class, component and type
     */
    public static <R extends Record> StructCodec<R> of(Class<R> type) {
        StructCodec.class.getModule().addReads(type.getModule());
        try {
            return of(type, MethodHandles.privateLookupIn(type, LOOKUP));
        } catch (IllegalAccessException e) {
            return of(type, MethodHandles.publicLookup());
        }
    }

    /** As {@link #of(Class)}, for any record class that the lookup's class may use. */
    public static <R extends Record> StructCodec<R> of(Class<R> type, MethodHandles.Lookup lookup) {
        RecordShape shape = RecordShape.of(type, lookup);
        return new StructCodec<>(type, shape, shape.format());
    }

    /**
     * The codec of the same record class for another format, such as that of a source which an older version of the class
     * defined. Components find their fields by name; order does not matter.
     *
     * <p>It reads if each component's field has the type that the class gives it, and a value in every record unless the
     * component may be null. Other fields are left out, and a component that may be null need not have a field. It
     * writes if each component has a field, and each field that is not optional a component; else {@link #write} throws
     * {@link UnsupportedOperationException}.
     *
     * @throws IllegalArgumentException if it can't read; the message has component and format
     */
    public StructCodec<R> forFormat(PayloadFormat other) {
        if (other.equals(format)) {
            return this;
        }
        if (!(other instanceof StructFormat struct)) {
            throw new IllegalArgumentException(
                    "format is not a struct: class=" + type.getTypeName() + ", format=" + other.text());
        }
        shape.requireReadableFrom(struct);
        return new StructCodec<>(type, shape, struct);
    }

    /** Defines a copy of {@link ConstantHandles}, which is unloaded with the codec. */
    private static Access access(StructHandles handles) {
        String file = ConstantHandles.class.getSimpleName() + ".class";
        try (InputStream bytes = Objects.requireNonNull(StructCodec.class.getResourceAsStream(file), file)) {
            Class<?> copy = LOOKUP.defineHiddenClassWithClassData(bytes.readAllBytes(), handles, true)
                    .lookupClass();
            return (Access) copy.getDeclaredConstructor().newInstance();
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("codec's class can't be defined: file=" + file, e);
        }
    }

    /** The format of the payloads. */
    public StructFormat format() {
        return format;
    }

    /** The record class. */
    public Class<R> type() {
        return type;
    }

    /**
     * The length in bytes of a record's payload.
     *
     * @throws IllegalArgumentException as {@link #write(Record, MutableDirectBuffer, int)} does
     */
    public int length(R record) {
        long length;
        try {
            length = access.length(record);
        } catch (Throwable e) {
            throw unchecked(e);
        }
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "payload is too long: class=" + type.getTypeName() + ", length=" + length);
        }
        return (int) length;
    }

    /** Writes a payload that may take the rest of the buffer, or all that the buffer can expand to. */
    public int write(R record, MutableDirectBuffer buffer, int offset) {
        return write(record, buffer, offset, Integer.MAX_VALUE);
    }

    /**
     * Writes a record's payload. If this throws, the bytes there have no meaning.
     *
     * @param lengthMax how many bytes it may take from {@code offset} on, such as the length of a claim
     * @return its length
     * @throws IllegalArgumentException if it does not fit, a value is out of its field's range, or a required text or bytes
     *     are null
     * @throws UnsupportedOperationException if the codec only reads; see {@link #forFormat}
     */
    public int write(R record, MutableDirectBuffer buffer, int offset, int lengthMax) {
        int room = Math.min(lengthMax, (buffer.isExpandable() ? Integer.MAX_VALUE : buffer.capacity()) - offset);
        if (room < lengthMin) {
            throw new IllegalArgumentException("payload does not fit: needed=" + lengthMin + ", room=" + room);
        }
        try {
            return access.write(record, buffer, offset, offset + room);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /**
     * Makes the record that a payload holds.
     *
     * @throws IllegalArgumentException if the payload is too short or malformed
     */
    public R read(DirectBuffer buffer, int offset, int length) {
        int end = WholePayload.end(buffer, offset, length);
        if (end < 0 || end - offset < lengthMin) {
            throw new IllegalArgumentException(
                    "payload is too short: format=" + format + ", length=" + length + ", min=" + lengthMin);
        }
        try {
            return type.cast(access.read(buffer, offset, end));
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** Accessors and constructors of records declare no checked exceptions. */
    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException unchecked ? unchecked : new UndeclaredThrowableException(e);
    }

    @Override
    public String toString() {
        return type.getTypeName() + ' ' + format;
    }
}
