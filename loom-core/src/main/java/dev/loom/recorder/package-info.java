/**
 * The recorder, which carries records of many threads to the store's single writer.
 *
 * <p>Data path: {@link dev.loom.recorder.Intake} puts records into the {@link dev.loom.recorder.RecorderRing}, on any
 * thread; {@link dev.loom.recorder.RecorderWriter} moves them to the store, on its own thread. Records that do not
 * arrive are counted in their source's {@link dev.loom.recorder.SourceGate}.
 */
@NullMarked
package dev.loom.recorder;

import org.jspecify.annotations.NullMarked;
