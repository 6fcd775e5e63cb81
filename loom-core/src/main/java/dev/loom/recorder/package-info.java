/**
 * The recorder: records of many threads on their way to the store's one writer.
 *
 * <p>Data path: {@link dev.loom.recorder.Intake} puts records into the {@link dev.loom.recorder.RecorderRing}, in any thread;
 * {@link dev.loom.recorder.RecorderWriter} takes them from there into the store, in its own. Whatever does not arrive is
 * counted in its source's {@link dev.loom.recorder.SourceGate}.
 */
@NullMarked
package dev.loom.recorder;

import org.jspecify.annotations.NullMarked;
