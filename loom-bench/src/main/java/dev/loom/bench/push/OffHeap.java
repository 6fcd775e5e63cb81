package dev.loom.bench.push;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/**
 * Plain, unchecked loads and stores at native addresses: the limit may do what no library should.
 *
 * <p>Constant method handles reach {@code sun.misc.Unsafe} and compile to single instructions; naming its type would cause a
 * warning that can't be suppressed.
 */
final class OffHeap {
    private static final MethodHandle GET_LONG;
    private static final MethodHandle PUT_LONG;
    private static final MethodHandle PUT_LONG_RELEASE;
    private static final MethodHandle COPY;
    private static final MethodHandle FILL;

    static {
        try {
            final Class<?> type = Class.forName("sun.misc.Unsafe");
            final Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            final Object unsafe = instance.get(null);
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            GET_LONG = lookup.findVirtual(type, "getLong", MethodType.methodType(long.class, long.class))
                    .bindTo(unsafe);
            PUT_LONG = lookup.findVirtual(type, "putLong", MethodType.methodType(void.class, long.class, long.class))
                    .bindTo(unsafe);
            PUT_LONG_RELEASE = MethodHandles.insertArguments(
                    lookup.findVirtual(
                                    type,
                                    "putOrderedLong",
                                    MethodType.methodType(void.class, Object.class, long.class, long.class))
                            .bindTo(unsafe),
                    0,
                    (Object) null);
            COPY = lookup.findVirtual(
                            type, "copyMemory", MethodType.methodType(void.class, long.class, long.class, long.class))
                    .bindTo(unsafe);
            FILL = lookup.findVirtual(
                            type, "setMemory", MethodType.methodType(void.class, long.class, long.class, byte.class))
                    .bindTo(unsafe);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private OffHeap() {}

    static long getLong(long address) {
        try {
            return (long) GET_LONG.invokeExact(address);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static void putLong(long address, long value) {
        try {
            PUT_LONG.invokeExact(address, value);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static void putLongRelease(long address, long value) {
        try {
            PUT_LONG_RELEASE.invokeExact(address, value);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static void copy(long from, long to, long length) {
        try {
            COPY.invokeExact(from, to, length);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    static void zero(long address, long length) {
        try {
            FILL.invokeExact(address, length, (byte) 0);
        } catch (final Throwable e) {
            throw failed(e);
        }
    }

    private static AssertionError failed(Throwable cause) {
        return new AssertionError("plain memory access failed", cause);
    }
}
