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

/** Common code of the commands that query a numeric field of a source. */
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

    /** Whether the field may be left out; the command then counts records. */
    boolean countsRecords() {
        return false;
    }

    /** The function to evaluate: the field, or 1 for every record if no field is given. */
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

    /** Like {@link #answer}. */
    abstract long answerField(Snapshot snapshot, QueryTarget target, QueryRun run, TimePrinter times);

    final String field() {
        return field == null ? "" : field;
    }

    /** Runs a call and reports its refusal of the request as a usage error. */
    static <T> T asked(Supplier<T> call) {
        try {
            return call.get();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("", e);
        }
    }
}
