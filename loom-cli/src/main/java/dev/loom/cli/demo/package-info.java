/**
 * The {@code loom demo} command: a real workload in one process, captured, and its needle found again.
 *
 * <p>Data path: {@link dev.loom.cli.demo.KeyValueClient}s talk to a {@link dev.loom.cli.demo.KeyValueServer} through a
 * {@link dev.loom.cli.demo.PacketFilter} that now and then mangles a request; their threads hand telemetry to the
 * store's {@link dev.loom.Recorder}. Then {@link
 * dev.loom.cli.demo.DrillDown} asks the command line itself what went wrong, and {@link dev.loom.cli.demo.Verdict}
 * compares its answers with what the workload had counted, in {@link dev.loom.cli.demo.Ledger}.
 *
 * <p>Nothing is simulated: no request sleeps, and no number is made up.
 */
@NullMarked
package dev.loom.cli.demo;

import org.jspecify.annotations.NullMarked;
