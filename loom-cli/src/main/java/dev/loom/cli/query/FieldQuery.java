package dev.loom.cli.query;

import dev.loom.cli.console.Console;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Parameters;

/** Common code of the commands that query a numeric field of a source. */
abstract class FieldQuery extends SourceQuery {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FIELD",
            description = "A numeric field; without one, agg and hist --by time count records.")
    @Nullable
    String field;

    FieldQuery(Console console) {
        super(console);
    }
}
