package dev.loom.format;

import dev.loom.format.RecordShape.Component;
import dev.loom.format.StructAccess.Range;
import dev.loom.format.StructAccess.VariablePlace;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Composes the handles that write and read the records of one class in one format: for each component its accessor and a
 * step of {@link StructAccess}, bound to the place of the component's field.
 */
final class StructHandles {
    /** From a record to the length of its payload. */
    static final MethodType LENGTH = MethodType.methodType(long.class, Record.class);

    /** From a record, a buffer, start and end to the length of the payload. */
    static final MethodType WRITE =
            MethodType.methodType(int.class, Record.class, MutableDirectBuffer.class, int.class, int.class);

    /** From a buffer, start and end to a record. */
    static final MethodType READ = MethodType.methodType(Record.class, DirectBuffer.class, int.class, int.class);

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

    private final RecordShape shape;
    private final StructFormat format;
    private final @Nullable String unwritable;

    StructHandles(RecordShape shape, StructFormat format) {
        this.shape = shape;
        this.format = format;
        unwritable = shape.unwritable(format);
    }

    /** Sums up what the fields of variable length take beyond the shortest payload. */
    MethodHandle length() {
        if (unwritable != null) {
            return MethodHandles.insertArguments(
                    step(StructAccess.class, "refuse", long.class, String.class, Record.class), 0, unwritable);
        }
        MethodHandle sum = MethodHandles.dropArguments(
                MethodHandles.constant(long.class, (long) format.lengthMin()), 0, Record.class);
        MethodHandle add = step(Long.class, "sum", long.class, long.class, long.class);
        for (Component component : shape.components()) {
            if (component.field().type().isVariableLength()) {
                String name = component.type() == String.class ? "textLength" : "bytesLength";
                MethodHandle length = MethodHandles.insertArguments(
                        step(StructAccess.class, name, long.class, component.type(), VariablePlace.class),
                        1,
                        VariablePlace.of(format, index(component)));
                MethodHandle both = MethodHandles.filterArguments(
                        add, 0, sum, MethodHandles.filterArguments(length, 0, accessor(component)));
                sum = MethodHandles.permuteArguments(both, LENGTH, 0, 0);
            }
        }
        return sum;
    }

    /** Clears the payload if fields may lack values, then puts the fields of fixed size, then the others in order. */
    MethodHandle write() {
        if (unwritable != null) {
            return MethodHandles.dropArguments(
                    MethodHandles.explicitCastArguments(length(), LENGTH.changeReturnType(int.class)),
                    1,
                    WRITE.parameterList().subList(1, 4));
        }
        MethodHandle variables = step(
                StructAccess.class,
                "length",
                int.class,
                int.class,
                Record.class,
                MutableDirectBuffer.class,
                int.class,
                int.class);
        List<Field> fields = format.fields();
        for (int i = fields.size() - 1; i >= 0; i--) {
            if (fields.get(i).type().isVariableLength()) {
                // each step takes the position from the step before it
                variables = MethodHandles.foldArguments(
                        MethodHandles.dropArguments(variables, 1, int.class), putVariable(i));
            }
        }
        MethodHandle first = MethodHandles.insertArguments(
                step(Integer.class, "sum", int.class, int.class, int.class),
                0,
                format.layout().variableOffset());
        MethodHandle write = MethodHandles.foldArguments(
                variables,
                MethodHandles.dropArguments(
                        MethodHandles.dropArguments(first, 1, int.class), 0, Record.class, MutableDirectBuffer.class));
        List<Component> components = shape.components();
        for (int i = components.size() - 1; i >= 0; i--) {
            if (!components.get(i).field().type().isVariableLength()) {
                write = MethodHandles.foldArguments(write, putFixed(components.get(i)));
            }
        }
        return format.layout().presenceLength() == 0 ? write : MethodHandles.foldArguments(write, clear());
    }

    private MethodHandle clear() {
        MethodHandle clear =
                step(StructAccess.class, "clear", void.class, int.class, MutableDirectBuffer.class, int.class);
        return MethodHandles.dropArguments(
                MethodHandles.insertArguments(clear, 0, format.layout().variableOffset()), 0, Record.class);
    }

    /** From position, record, buffer, start and end to the next field's position. */
    private MethodHandle putVariable(int index) {
        VariablePlace place = VariablePlace.of(format, index);
        Component component = shape.component(place.field().name());
        if (component == null) {
            MethodHandle nothing = step(
                    StructAccess.class,
                    "putNothing",
                    int.class,
                    VariablePlace.class,
                    int.class,
                    MutableDirectBuffer.class,
                    int.class,
                    int.class);
            return MethodHandles.dropArguments(MethodHandles.insertArguments(nothing, 0, place), 1, Record.class);
        }
        MethodHandle put = step(
                StructAccess.class,
                component.type() == String.class ? "putText" : "putBytes",
                int.class,
                component.type(),
                VariablePlace.class,
                int.class,
                MutableDirectBuffer.class,
                int.class,
                int.class);
        MethodHandle ofRecord =
                MethodHandles.filterArguments(MethodHandles.insertArguments(put, 1, place), 0, accessor(component));
        return MethodHandles.permuteArguments(ofRecord, WRITE.insertParameterTypes(0, int.class), 1, 0, 2, 3, 4);
    }

    /** From record, buffer and start to nothing. */
    private MethodHandle putFixed(Component component) {
        int index = index(component);
        Class<?> type = component.type();
        MethodHandle put = MethodHandles.insertArguments(
                put(format.fields().get(index), component.primitive()),
                1,
                format.layout().fixedOffset(index));
        if (!type.isPrimitive()) {
            MethodType boxed = MethodType.methodType(void.class, type, MutableDirectBuffer.class, int.class);
            put = put.asType(boxed);
            int bit = format.layout().presenceBit(index);
            put = bit < 0 ? MethodHandles.filterArguments(put, 0, requireValue(component)) : putIfPresent(put, bit);
        }
        return MethodHandles.filterArguments(put, 0, accessor(component));
    }

    private static MethodHandle putIfPresent(MethodHandle put, int bit) {
        Class<?> type = put.type().parameterType(0);
        MethodHandle isNull = step(StructAccess.class, "isNull", boolean.class, Object.class);
        return MethodHandles.guardWithTest(
                isNull.asType(MethodType.methodType(boolean.class, type)),
                MethodHandles.empty(put.type()),
                MethodHandles.foldArguments(
                        put, MethodHandles.dropArguments(presence("mark", void.class, bit), 0, type)));
    }

    private static MethodHandle requireValue(Component component) {
        MethodHandle require = step(StructAccess.class, "requireValue", Object.class, Object.class, Field.class);
        return MethodHandles.insertArguments(require, 1, component.field())
                .asType(MethodType.methodType(component.type(), component.type()));
    }

    /** Puts a value of a component's type: value, offset, buffer, start. */
    private static MethodHandle put(Field field, Class<?> primitive) {
        Class<?> stored = stored(field.type());
        MethodHandle put = step(
                StructAccess.class,
                "put" + capitalized(stored),
                void.class,
                stored,
                int.class,
                MutableDirectBuffer.class,
                int.class);
        if (stored == primitive) {
            return put;
        }
        if (stored == float.class) {
            MethodHandle rounded = step(StructAccess.class, "toFloat", float.class, double.class, Field.class);
            return MethodHandles.filterArguments(put, 0, MethodHandles.insertArguments(rounded, 1, field));
        }
        MethodHandle checked = MethodHandles.insertArguments(
                step(StructAccess.class, "requireRange", long.class, long.class, Range.class), 1, Range.of(field));
        MethodHandle narrowed =
                MethodHandles.explicitCastArguments(put, put.type().changeParameterType(0, long.class));
        return MethodHandles.filterArguments(narrowed, 0, checked.asType(MethodType.methodType(long.class, primitive)));
    }

    /** Gets the components, and passes them to the constructor. */
    MethodHandle read() {
        List<Component> components = shape.components();
        MethodHandle read =
                shape.constructor().asType(shape.constructor().type().changeReturnType(Record.class));
        read = MethodHandles.dropArguments(read, components.size(), READ.parameterList());
        for (int i = components.size() - 1; i >= 0; i--) {
            read = MethodHandles.foldArguments(read, i, get(components.get(i)));
        }
        return read;
    }

    /** From buffer, start and perhaps end to a component. */
    private MethodHandle get(Component component) {
        int index = index(component);
        if (index < 0) {
            MethodHandle nothing = MethodHandles.constant(component.type(), null);
            return MethodHandles.dropArguments(nothing, 0, READ.parameterList());
        }
        Class<?> type = component.type();
        if (component.field().type().isVariableLength()) {
            MethodHandle get = step(
                    StructAccess.class,
                    type == String.class ? "getText" : "getBytes",
                    type,
                    VariablePlace.class,
                    DirectBuffer.class,
                    int.class,
                    int.class);
            return MethodHandles.insertArguments(get, 0, VariablePlace.of(format, index));
        }
        MethodHandle get = MethodHandles.insertArguments(
                get(format.fields().get(index).type(), component.primitive()),
                0,
                format.layout().fixedOffset(index));
        int bit = format.layout().presenceBit(index);
        if (type.isPrimitive()) {
            return get;
        }
        get = get.asType(get.type().changeReturnType(type));
        return bit < 0
                ? get
                : MethodHandles.guardWithTest(
                        presence("isAbsent", boolean.class, bit), MethodHandles.empty(get.type()), get);
    }

    /** Gets a value of a component's type: offset, buffer, start. */
    private static MethodHandle get(Field.Type field, Class<?> primitive) {
        Class<?> stored = stored(field);
        MethodHandle get =
                step(StructAccess.class, "get" + capitalized(stored), stored, int.class, DirectBuffer.class, int.class);
        if (stored == primitive) {
            return get;
        }
        if (field.isUnsigned()) {
            Class<?> wrapper = MethodType.methodType(stored).wrap().returnType();
            get = MethodHandles.filterReturnValue(get, step(wrapper, "toUnsignedLong", long.class, stored));
        }
        return MethodHandles.explicitCastArguments(get, get.type().changeReturnType(primitive));
    }

    /** {@code mark} or {@code isAbsent}, bound to a presence bit: buffer, start. */
    private static MethodHandle presence(String name, Class<?> result, int bit) {
        Class<?> buffer = result == void.class ? MutableDirectBuffer.class : DirectBuffer.class;
        return MethodHandles.insertArguments(
                step(StructAccess.class, name, result, int.class, int.class, buffer, int.class),
                0,
                StructLayout.presenceOffset(bit),
                StructLayout.presenceMask(bit));
    }

    private static MethodHandle accessor(Component component) {
        return component.accessor().asType(MethodType.methodType(component.type(), Record.class));
    }

    /** The index of a component's field in the format, or -1 if it has none. */
    private int index(Component component) {
        return format.field(component.field().name()) == null
                ? -1
                : format.fieldIndex(component.field().name());
    }

    /** The primitive type that a field of fixed size is stored as. */
    private static Class<?> stored(Field.Type type) {
        return switch (type) {
            case BOOL -> boolean.class;
            case I8, U8 -> byte.class;
            case I16, U16 -> short.class;
            case I32, U32 -> int.class;
            case I64, U64 -> long.class;
            case F32 -> float.class;
            case F64 -> double.class;
            case UTF8, BYTES, ANY, JSON -> throw new IllegalArgumentException("type has no fixed size: type=" + type);
        };
    }

    private static String capitalized(Class<?> primitive) {
        String name = primitive.getName();
        return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
    }

    private static MethodHandle step(Class<?> in, String name, Class<?> result, Class<?>... parameters) {
        try {
            return LOOKUP.findStatic(in, name, MethodType.methodType(result, parameters));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("step is missing: class=" + in.getName() + ", name=" + name, e);
        }
    }
}
