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

    /** Sets the check for implausible event times. */
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
            while (going && found && !interruption.requested()) {
                going = take();
                progress.update(batch.records());
                found = going && input.next();
            }
            // it may have waited for more lines when the interruption came
            return going && (!found || !input.whole() || take());
        } finally {
            batch.flush();
        }
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
                check == null ? null : check.problem(input.position(), batch.buffer(), batch.offset(), length);
        if (implausible != null) {
            batch.clear();
            throw CommandFailure.usage(implausible);
        }
        awaitDue();
        batch.add();
        return true;
    }

    private void awaitDue() {
        if (pacer != null && eventTime != null) {
            long eventNs = eventTime.epochNs(null, batch.buffer(), batch.offset(), batch.length());
            if (eventNs != EventTime.Reader.NONE) {
                pacer.await(eventNs, batch::flushKeeping);
            }
        }
    }
}
