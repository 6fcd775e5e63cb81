/**
 * From requests to records: checks a request as a whole, then writes each of its records with the context that it shares
 * with others.
 *
 * <p>{@link dev.loom.otlp.ingest.OtlpIngester} is the entry. A request is read twice, in place: {@code
 * RequestCheck} decides whether it is taken, as protobuf would, and {@code
 * ExportCursor} moves over its records while they are written. So what a request costs in memory does
 * not depend on how many records are in it. Nothing is allocated for a record, nor for a request, once warm.
 */
@NullMarked
package dev.loom.otlp.ingest;

import org.jspecify.annotations.NullMarked;
