/**
 * Metric points as series: what a point says, which series it belongs to, what a series adds from one point to the next, and what
 * the histograms of many series say together.
 *
 * <p>A point is any record with the fields that OTLP's points have here: {@code name}, {@code kind}, {@code value} and so on. Nothing
 * depends on how they are encoded.
 */
@NullMarked
package dev.loom.query.series;

import org.jspecify.annotations.NullMarked;
