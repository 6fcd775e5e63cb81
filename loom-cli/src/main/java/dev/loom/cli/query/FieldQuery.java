package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.time.TimePrinter;
import java.util.function.Supplier;
import picocli.CommandLine.Parameters;

/** What the commands have in common that ask about a number in a source's records. */
abstract class FieldQuery extends SourceQuery {
    @Parameters(index = "1", paramLabel = "FIELD", description = "A field that is a number.")
    private String field = "";

    FieldQuery(Console console) {
        super(console);
    }

    @Override
    final void check(QueryTarget target) {
        target.number(field);
    }

    @Override
    final long answer(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times) {
        long printed = answerField(snapshot, target, run, times);
        target.tellLeftOut(console());
        return printed;
    }

    /** As {@link #answer}. */
    abstract long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times);

    final String field() {
        return field;
    }

    /** Runs what may refuse what was asked for. */
    static <T> T asked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }
}
