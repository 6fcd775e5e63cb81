package dev.loom.cli.query;

import dev.loom.api.Snapshot;
import dev.loom.cli.console.Console;
import dev.loom.cli.option.SeriesCap;
import dev.loom.cli.option.WhereOption;
import dev.loom.query.service.SourceRequest;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.time.TimePrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code loom metrics}: the metrics of a source. */
@Command(
        name = "metrics",
        description = "Lists the metrics of a source by name, with kind, unit, temporality, points and series.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  loom metrics otlp.metrics",
            "  loom metrics otlp.metrics --since 10m --where 'service.name == \"cart\"'"
        })
public final class MetricsCommand extends SourceQuery {
    @Mixin
    private WhereOption where = new WhereOption();

    @Mixin
    private SeriesCap cap = new SeriesCap();

    public MetricsCommand(Console console) {
        super(console);
    }

    @Override
    SourceRequest request(RequestBuilder builder) {
        return builder.metrics(sourceName, where.texts(), cap.seriesMax());
    }

    @Override
    ConsoleResults results(Snapshot snapshot, SourceRequest request, TimePrinter times) {
        return new SeriesResults(console, form(), times);
    }
}
