package dev.loom.format;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The handles of one codec as constants, which the JIT compiler inlines. Only static fields can be constants, so each
 * codec has a hidden copy of this class. The class itself is never initialised.
 */
final class ConstantHandles implements StructCodec.Access {
    private static final MethodHandle LENGTH;
    private static final MethodHandle WRITE;
    private static final MethodHandle READ;

    static {
        try {
            StructHandles handles =
                    Objects.requireNonNull(MethodHandles.classData(MethodHandles.lookup(), "_", StructHandles.class));
            LENGTH = handles.length();
            WRITE = handles.write();
            READ = handles.read();
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public long length(Record record) throws Throwable {
        return (long) LENGTH.invokeExact(record);
    }

    @Override
    public int write(Record record, MutableDirectBuffer buffer, int start, int end) throws Throwable {
        return (int) WRITE.invokeExact(record, buffer, start, end);
    }

    @Override
    public Record read(DirectBuffer buffer, int start, int end) throws Throwable {
        return (Record) READ.invokeExact(buffer, start, end);
    }
}
