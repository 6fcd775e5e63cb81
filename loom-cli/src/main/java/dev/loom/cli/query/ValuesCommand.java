package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.GroupCaps;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.GroupTexts;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code loom values}: the values of a field. */
@Command(
        name = "values",
        description =
                "Lists the different values of a field with the number of their records, the most frequent first.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom values requests op",
            "  loom values otlp.spans attr.http.route --where 'duration > 500ms' --limit 20",
            "  loom values otlp.logs resource.service.name --rest other"
        })
public final class ValuesCommand extends SourceQuery {
    @Parameters(index = "1", paramLabel = "FIELD", description = "A field of any kind.")
    private String field = "";

    @Mixin
    private WhereOption where = new WhereOption();

    @Mixin
    private GroupCaps caps = new GroupCaps();

    public ValuesCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        GroupTexts groups = GroupTexts.values(caps.limit(), caps.groupsMax(), caps.restAsOther());
        return builder.values(sourceName, field, where.texts(), groups);
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new ListedResults(console, form(), times);
    }
}
