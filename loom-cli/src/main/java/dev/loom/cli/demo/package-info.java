/**
 * The {@code loom demo} command: captures a real workload in one process, and finds its needle.
 *
 * <p>Data path: a {@link dev.loom.cli.demo.KeyValueClient} talks to a {@link dev.loom.cli.demo.KeyValueServer} through a
 * {@link dev.loom.cli.demo.PacketFilter} that damages a request now and then. They pass {@link dev.loom.cli.demo.Telemetry} to
 * the store's {@link dev.loom.Recorder}. Then a {@link dev.loom.cli.demo.Story} finds with commands what went wrong, and a {@link
 * dev.loom.cli.demo.Verdict} compares that with the workload's own counts.
 *
 * <p>Nothing is simulated: no request sleeps, and no number is made up.
 */
@NullMarked
package dev.loom.cli.demo;

import org.jspecify.annotations.NullMarked;
