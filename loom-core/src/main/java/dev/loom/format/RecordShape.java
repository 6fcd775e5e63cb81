package dev.loom.format;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A record class as a struct: its components with their fields, and the handles that take it apart and make it. The
 * class is inspected here and never again.
 */
final class RecordShape {
    /** A method handle takes 255 slots, of which composition needs a few. A long or a double takes two. */
    static final int SLOTS_MAX = 240;

    private static final String SUPPORTED =
            "boolean byte short int long float double, each boxed if it may be null, String byte[]";

    /** Before the capital that begins a word: {@code latency|Ns}, {@code p99|Ns}, {@code HTTP|Status}. */
    private static final Pattern WORD = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])");

    private final Class<? extends Record> type;
    private final List<Component> components;
    private final MethodHandle constructor;

    /**
     * A component.
     *
     * @param primitive the component's type, unboxed; String or byte[]
     * @param accessor from the record to the component's type
     */
    record Component(String name, Class<?> type, Class<?> primitive, Field field, MethodHandle accessor) {}

    private RecordShape(Class<? extends Record> type, List<Component> components, MethodHandle constructor) {
        this.type = type;
        this.components = List.copyOf(components);
        this.constructor = constructor;
    }

    /** @throws IllegalArgumentException if the class is no record, is not accessible, or has an unsuitable component */
    static RecordShape of(Class<? extends Record> type, MethodHandles.Lookup lookup) {
        RecordComponent[] declared = type.getRecordComponents();
        if (declared == null) {
            throw new IllegalArgumentException("class is not a record: class=" + type.getTypeName());
        }
        List<Component> components = new ArrayList<>();
        try {
            for (RecordComponent component : declared) {
                Field field = field(type, component);
                components.add(new Component(
                        component.getName(),
                        component.getType(),
                        MethodType.methodType(component.getType()).unwrap().returnType(),
                        field,
                        lookup.unreflect(component.getAccessor())));
            }
            requireSlots(type, components);
            Class<?>[] types = Stream.of(declared).map(RecordComponent::getType).toArray(Class<?>[]::new);
            return new RecordShape(
                    type, components, lookup.findConstructor(type, MethodType.methodType(void.class, types)));
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    "record class is not accessible: class=" + type.getTypeName() + ", module=" + type.getModule()
                            + ", expected=a public record of an exported package, or the caller's lookup",
                    e);
        }
    }

    private static void requireSlots(Class<?> type, List<Component> components) {
        int slots = components.stream()
                .mapToInt(each -> each.type() == long.class || each.type() == double.class ? 2 : 1)
                .sum();
        if (slots > SLOTS_MAX) {
            throw new IllegalArgumentException("record class has too many components: class=" + type.getTypeName()
                    + ", slots=" + slots + ", max=" + SLOTS_MAX + ", a long or a double takes two");
        }
    }

    private static Field field(Class<?> record, RecordComponent component) {
        Class<?> type = component.getType();
        Class<?> primitive = MethodType.methodType(type).unwrap().returnType();
        StructField annotation = component.getAnnotation(StructField.class);
        Field.Type natural = natural(primitive);
        if (natural == Field.Type.ANY) {
            throw new IllegalArgumentException(
                    "component type is not supported: " + describe(record, component) + ", supported=" + SUPPORTED);
        }
        boolean boxed = type != primitive;
        if (annotation == null) {
            return new Field(fieldName(component.getName()), natural, boxed);
        }
        Field.Type chosen = annotation.type() == Field.Type.ANY ? natural : annotation.type();
        if (!holds(primitive, chosen)) {
            throw new IllegalArgumentException("component can't hold all values of its field: "
                    + describe(record, component) + ", field=" + chosen.text());
        }
        if (annotation.optional() && type.isPrimitive()) {
            throw new IllegalArgumentException(
                    "primitive component can't be optional: " + describe(record, component) + ", expected="
                            + MethodType.methodType(type).wrap().returnType().getSimpleName());
        }
        String name = annotation.name().isEmpty() ? fieldName(component.getName()) : annotation.name();
        return new Field(name, chosen, boxed || annotation.optional());
    }

    private static String describe(Class<?> record, RecordComponent component) {
        return "class=" + record.getTypeName() + ", component=" + component.getName() + ", type="
                + component.getGenericType().getTypeName();
    }

    static String fieldName(String componentName) {
        return WORD.matcher(componentName).replaceAll("_").toLowerCase(Locale.ROOT);
    }

    /** The field type of a component's type, or ANY if there is none. */
    private static Field.Type natural(Class<?> primitive) {
        if (primitive == String.class) {
            return Field.Type.UTF8;
        }
        if (primitive == byte[].class) {
            return Field.Type.BYTES;
        }
        return switch (primitive.getName()) {
            case "boolean" -> Field.Type.BOOL;
            case "byte" -> Field.Type.I8;
            case "short" -> Field.Type.I16;
            case "int" -> Field.Type.I32;
            case "long" -> Field.Type.I64;
            case "float" -> Field.Type.F32;
            case "double" -> Field.Type.F64;
            default -> Field.Type.ANY;
        };
    }

    /** Whether the component's type holds every value of the field; a long holds the bits of a u64. */
    private static boolean holds(Class<?> primitive, Field.Type field) {
        Field.Type natural = natural(primitive);
        if (natural == field) {
            return true;
        }
        if (natural == Field.Type.I64 && field == Field.Type.U64) {
            return true;
        }
        return natural.isNumber()
                && field.isNumber()
                && natural.isInteger() == field.isInteger()
                && field.fixedLength() < natural.fixedLength();
    }

    Class<? extends Record> type() {
        return type;
    }

    List<Component> components() {
        return components;
    }

    /** From the components to the record. */
    MethodHandle constructor() {
        return constructor;
    }

    /** @throws IllegalArgumentException if records of this class can't be read from payloads of the format */
    void requireReadableFrom(StructFormat format) {
        for (Component component : components) {
            Field field = component.field();
            Field stored =
                    format.field(field.name()) == null ? null : format.fields().get(format.fieldIndex(field.name()));
            if (!fits(field, stored)) {
                throw new IllegalArgumentException("record class does not match the format: class=" + type.getTypeName()
                        + ", component=" + component.name() + ", field=" + field.text() + ", stored="
                        + (stored == null ? "none" : stored.text()) + ", format=" + format);
            }
        }
    }

    private static boolean fits(Field field, @Nullable Field stored) {
        if (stored == null) {
            return field.optional();
        }
        return stored.type() == field.type() && (field.optional() || !stored.optional());
    }

    /** Why records of this class can't be written as payloads of the format; null if they can. */
    @Nullable
    String unwritable(StructFormat format) {
        for (Component component : components) {
            if (format.field(component.field().name()) == null) {
                return "component has no field: component=" + component.name();
            }
        }
        for (Field field : format.fields()) {
            if (!field.optional() && component(field.name()) == null) {
                return "required field has no component: field=" + field.text();
            }
        }
        return null;
    }

    /** The component of a field, or null if there is none. */
    @Nullable
    Component component(String fieldName) {
        for (Component component : components) {
            if (component.field().name().equals(fieldName)) {
                return component;
            }
        }
        return null;
    }

    /** The format that has the components' fields, in their order. */
    StructFormat format() {
        return new StructFormat(components.stream().map(Component::field).toList());
    }
}
