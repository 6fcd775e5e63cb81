package dev.loom.cli.option;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.output.OutputFormat;
import dev.loom.cli.output.TableStyle;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.JsonResults;
import dev.loom.server.time.EventTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** The fields to print of each record. */
public final class FieldsOption {
    @Option(
            names = "--fields",
            paramLabel = "FIELD",
            split = ",",
            description =
                    "Prints only these fields, in this order; by default all. FIELD:TYPE is for -o arrow: the type of the"
                            + " column of a field that records name themselves, by default utf8.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--addr", fallbackValue = "true", description = "Also shows the address of each record in a table.")
    private boolean addresses;

    /** The style of a table of a source's records. */
    public TableStyle style(Source source) {
        EventTime eventTime = EventTime.of(source);
        return new TableStyle(addresses, eventTime == null ? null : eventTime.field(), Map.of());
    }

    /** The fields to print; empty for all. */
    public List<String> names() {
        return List.copyOf(names);
    }

    /** The format reduced to the fields to print. */
    public PayloadFormat of(PayloadFormat format, OutputFormat form) {
        if (!names.isEmpty() && form == OutputFormat.RAW) {
            throw CommandFailure.usage("--fields is not for -o raw, which prints payloads as they are");
        }
        return JsonResults.chosen(format, names);
    }
}
