/**
 * Expressions over the fields of a record: {@code latency_ns > 50ms and op == "GET"}. {@link
 * dev.loom.query.where.Where#parse} makes a {@link dev.loom.query.where.WhereExpression}, a tree that a planner can look
 * into; bound to a payload format it is a {@link dev.loom.query.where.PayloadPredicate}, which allocates nothing.
 *
 * <p>An expression is true or false of each record, never unknown. A comparison with a field that a record lacks, or
 * that holds a value of another kind, is false, also {@code !=}; {@code not} of it is therefore true.
 *
 * <p>Numbers are compared without loss, whatever their types. A literal written as an integer, with or without a unit,
 * is exactly that number. One with a fraction or an exponent is exactly its decimal value to an integer; to a
 * floating-point value it is the nearest value of the field's type, so that {@code x == 0.1} holds for a double that
 * prints as 0.1. NaN is not equal to, less or greater than any number, so only {@code !=} is true of it; -0.0 equals 0.
 *
 * <p>Texts and bytes are compared with a text literal byte by byte in UTF-8, unsigned, which is the order of code
 * points. Nothing is normalised, and case counts, but for {@code icontains}. {@code body matches "error AND time*"} asks for words instead, as {@link
 * dev.loom.query.text.TextQuery} describes, whatever their case.
 */
@NullMarked
package dev.loom.query.where;

import org.jspecify.annotations.NullMarked;
