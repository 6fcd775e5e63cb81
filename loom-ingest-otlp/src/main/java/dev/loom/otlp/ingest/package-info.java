/**
 * Turns requests into records: checks a request as a whole, then writes each of its records with the context that it shares
 * with others.
 *
 * <p>{@link dev.loom.otlp.ingest.OtlpIngester} is the entry point. A request is read twice, in place: {@code RequestCheck}
 * decides whether it is taken, as protobuf would, and {@code ExportCursor} moves over its records as they are written. So a
 * request's memory does not depend on how many records it has. Once warm, nothing is allocated per record or per request.
 * Text that is not UTF-8 rejects its records alone: {@code TextCheck} then finds them.
 */
@NullMarked
package dev.loom.otlp.ingest;

import org.jspecify.annotations.NullMarked;
