/**
 * Expressions over the fields of a record: {@code latency_ns > 50ms and op == "GET"}. {@link
 * dev.loom.query.where.Where#parse} returns a {@link dev.loom.query.where.Where}, a tree that a planner can
 * inspect. Bound to a payload format it becomes a {@link dev.loom.query.where.Where.Predicate}, which allocates nothing.
 *
 * <p>An expression is true or false for each record, never unknown. A comparison is false, even {@code !=}, if the record
 * lacks the field or the field holds a value of another kind; its {@code not} is therefore true.
 *
 * <p>Numbers compare exactly, whatever their types. A literal written as an integer, with or without a unit, is exactly that
 * number. A literal with a fraction or an exponent is its exact decimal value when compared with an integer, and the nearest
 * value of the field's type when compared with a floating-point value, so {@code x == 0.1} holds for a double that prints as
 * 0.1. NaN is not equal to, less or greater than any number, so only {@code !=} holds for it; -0.0 equals 0.
 *
 * <p>Texts and bytes compare with a text literal byte by byte in UTF-8, unsigned, which is code point order. Nothing is
 * normalised, and case matters, except with {@code icontains}. {@code body matches "error AND time*"} asks for words
 * instead, in any case, as {@link dev.loom.query.text.TextQuery} describes.
 */
@NullMarked
package dev.loom.query.where;

import org.jspecify.annotations.NullMarked;
