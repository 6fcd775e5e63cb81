package dev.loom.cli.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.time.TimePrinter;
import dev.loom.format.UnknownFieldException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** What the commands have in common that ask about a number in a source's records. */
abstract class FieldQuery extends SourceQuery {
    static final IndexFunction ONE = IndexFunction.of(
            "one", ValueType.I64, ValueUnit.NONE, (buffer, offset, length, into) -> into.setInteger(1));

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FIELD",
            description = "A field that is a number; agg and hist --by time count records without one.")
    private @Nullable String field;

    FieldQuery(Console console) {
        super(console);
    }

    @Override
    final void check(QueryTarget target) {
        if (field != null) {
            target.number(field);
        } else if (!countsRecords()) {
            throw CommandFailure.usage(
                    "Missing required parameter: 'FIELD'; a number of the source, as its format has it: "
                            + UnknownFieldException.known(target.source().format()));
        }
    }

    /** Whether it can do without a field, and then counts records. */
    boolean countsRecords() {
        return false;
    }

    /** What is asked about: the field, or where there is none, 1 of every record. */
    final IndexFunction function(QueryTarget target) {
        return field == null ? ONE : target.number(field);
    }

    final boolean hasField() {
        return field != null;
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
        return field == null ? "" : field;
    }

    /** Runs what may refuse what was asked for. */
    static <T> T asked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("", e);
        }
    }
}
