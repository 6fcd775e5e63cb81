package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.console.Progress;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Copies the records of one input into one source. For one thread. */
final class Importer {
    private final RecordInput input;
    private final PayloadBatch batch;
    private final BadRecords badRecords;
    private final Interruption interruption;
    private final Progress progress;
    private @Nullable Pacer pacer;
    private EventTime.@Nullable Reader eventTime;
    private @Nullable EventTimeCheck check;

    /** How many records the store had not taken before an interruption. */
    private long lostBefore;

    /** Whether an interruption came before the last record was due, or before the store took those before it. */
    private boolean early;

    Importer(
            RecordInput input,
            PayloadBatch batch,
            BadRecords badRecords,
            Interruption interruption,
            Progress progress) {
        this.input = input;
        this.batch = batch;
        this.badRecords = badRecords;
        this.interruption = interruption;
        this.progress = progress;
    }

    /** Sets the check of event times. */
    void check(EventTimeCheck newCheck) {
        check = newCheck;
    }

    /** Delays each record until its event time, relative to the first. */
    void pace(Pacer newPacer, EventTime.Reader newEventTime) {
        pacer = newPacer;
        eventTime = newEventTime;
    }

    /**
     * Imports until the end, an interruption, a bad record that ends the import, or damage behind which nothing can be read.
     *
     * @return false if a bad record or damage ended it
     */
    boolean run() throws IOException {
        try {
            boolean going = true;
            boolean found = input.next();
            while (going && found && mayTake()) {
                going = take();
                progress.update(batch.records());
                found = going && input.next();
            }
            return going;
        } finally {
            batch.flush();
        }
    }

    /**
     * After an interruption, what has arrived by then may be taken, up to the last record that is whole, and as long as the store takes all:
     * so that nothing is missing in between.
     */
    private boolean mayTake() {
        if (!interruption.requested()) {
            lostBefore = batch.lost();
            return true;
        }
        return input.whole() && !early;
    }

    /** Whether the store did not take all. */
    private boolean lacks() {
        return batch.lost() != lostBefore;
    }

    private boolean take() throws IOException {
        String problem = input.encode(batch);
        int length = batch.length();
        if (problem == null) {
            problem = batch.problem(length);
        }
        if (problem != null) {
            return badRecords.add(input, problem) && !input.damaged();
        }
        String implausible =
                check == null ? null : check.problem(input::position, batch.buffer(), batch.offset(), length);
        if (implausible != null) {
            batch.clear();
            throw CommandFailure.usage(implausible);
        }
        early = (interruption.requested() && lacks()) || !awaitDue();
        if (!early) {
            batch.add();
        }
        return true;
    }

    private void flush() {
        batch.flushKeeping();
        badRecords.flush();
    }

    /** False if the record is not due, and an interruption ended the wait. */
    private boolean awaitDue() {
        if (pacer == null || eventTime == null) {
            return true;
        }
        long eventNs = eventTime.epochNs(null, batch.buffer(), batch.offset(), batch.length());
        return eventNs == EventTime.Reader.NONE || pacer.await(eventNs, this::flush);
    }
}
