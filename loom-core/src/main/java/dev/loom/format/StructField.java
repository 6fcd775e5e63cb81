package dev.loom.format;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The field of a record class's component, where the component's own name and type do not tell. See {@link StructCodec}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface StructField {
    /** The field's name; if empty, the component's in lower case with underscores: {@code latency_ns} for latencyNs. */
    String name() default "";

    /**
     * A type whose values all fit the component, such as {@link Field.Type#U16} for an {@code int}; {@link
     * Field.Type#ANY} stands for the component's own.
     */
    Field.Type type() default Field.Type.ANY;

    /** Whether a String or byte[] may be null, which is no value. A boxed component always may, a primitive never. */
    boolean optional() default false;
}
