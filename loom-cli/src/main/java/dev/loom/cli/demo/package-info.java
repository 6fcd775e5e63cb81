/**
 * The {@code loom demo} command: captures a real workload in one process, and finds its needle.
 *
 * <p>Data path: {@link dev.loom.cli.demo.KeyValueClient}s talk to a {@link dev.loom.cli.demo.KeyValueServer} through a {@link
 * dev.loom.cli.demo.PacketFilter} that mangles a request now and then; their threads pass telemetry to the store's {@link
 * dev.loom.Recorder}. Then {@link dev.loom.cli.demo.DrillDown} finds with commands what went wrong, and {@link
 * dev.loom.cli.demo.Verdict} compares the findings with the workload's own counts, the {@link dev.loom.cli.demo.Ledger}.
 *
 * <p>Nothing is simulated: no request sleeps, and no number is made up.
 */
@NullMarked
package dev.loom.cli.demo;

import org.jspecify.annotations.NullMarked;
