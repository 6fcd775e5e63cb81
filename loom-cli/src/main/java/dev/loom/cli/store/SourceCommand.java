package dev.loom.cli.store;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.EventTimeOptions;
import dev.loom.cli.option.SidecarOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.TextField;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code loom source add}, {@code loom source set} and {@code loom source close}. */
@Command(
        name = "source",
        description = "Defines, changes or closes a source.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "(add | set | close)")
public final class SourceCommand {
    private static final String STRUCT = "struct";

    private final Console console;

    public SourceCommand(Console console) {
        this.console = console;
    }

    @Command(name = "add", description = "Defines a source.", mixinStandardHelpOptions = true)
    int add(
            @Mixin StoreOption store,
            @Mixin SidecarOption sidecar,
            @Parameters(paramLabel = "NAME", description = "Name of the source.") String name,
            @Option(
                            names = "--format",
                            paramLabel = "FORMAT",
                            description =
                                    "struct, text, json, bytes, or timed: and one of them, for payloads that follow"
                                            + " their event time; by default struct with --fields, else bytes.")
                    @Nullable
                    String format,
            @Option(
                            names = "--fields",
                            paramLabel = "FIELD:TYPE,...",
                            description = "Fields of a struct; a type that ends with ? is optional.")
                    @Nullable
                    String fields,
            @Option(
                            names = "--text",
                            paramLabel = "FIELD",
                            description = "The field that search reads; by default the only text field.")
                    @Nullable
                    String text) {
        PayloadFormat payloadFormat = payloadFormat(format, fields);
        try (OpenSchema open = OpenSchema.open(store, sidecar, true, console)) {
            SchemaAccess schema = open.schema();
            schema.openSource(name).ifPresent(source -> {
                throw CommandFailure.usage("source is already defined: name=" + name);
            });
            Source source = schema.defineSource(
                    name, payloadFormat, text == null ? Map.of() : TextField.attributes(text, payloadFormat));
            console.say("defined source " + name + ": id=" + source.id() + ", format=" + payloadFormat.text());
        }
        return ExitCode.OK;
    }

    @Command(
            name = "set",
            description =
                    "Corrects the event time of a source, including its existing records: what is not given stays.",
            mixinStandardHelpOptions = true)
    int set(
            @Mixin StoreOption store,
            @Mixin SidecarOption sidecar,
            @Parameters(paramLabel = "SOURCE", description = "Name of the source.") String name,
            @Mixin EventTimeOptions options)
            throws IOException {
        try (OpenSchema open = OpenSchema.open(store, sidecar, false, console)) {
            Source source =
                    open.schema().openSource(name).orElseThrow(() -> CommandFailure.usage("no open source: " + name));
            EventTime after = options.corrected(EventTime.of(source));
            if (after == null) {
                throw CommandFailure.usage("source has no event time: " + name + "; set its field with --event-time");
            } else if (source.format().field(after.field()) == null) {
                throw CommandFailure.usage("--event-time names an unknown field: " + after.field() + "; format: "
                        + source.format().text());
            }
            open.schema().setAttributes(name, after.attributes(source));
            console.say("source " + name + " has the event time " + after.text());
        }
        return ExitCode.OK;
    }

    @Command(
            name = "close",
            description = "Closes a source: its records stay, and its name is free again.",
            mixinStandardHelpOptions = true)
    int close(
            @Mixin StoreOption store,
            @Mixin SidecarOption sidecar,
            @Parameters(paramLabel = "SOURCE", description = "Name of the source.") String name) {
        try (OpenSchema open = OpenSchema.open(store, sidecar, false, console)) {
            console.say("closed source " + name + ": id="
                    + open.schema().closeSource(name).id());
        }
        return ExitCode.OK;
    }

    private static PayloadFormat payloadFormat(@Nullable String format, @Nullable String fields) {
        String name = format == null ? (fields == null ? "bytes" : STRUCT) : format;
        boolean struct = name.equals(STRUCT) || name.endsWith(':' + STRUCT);
        if (fields != null && !struct) {
            throw CommandFailure.usage("--fields is for --format struct, not " + name);
        } else if (fields == null && struct) {
            throw CommandFailure.usage("--format struct needs --fields");
        }
        try {
            return Formats.parse(fields == null ? name : name + ':' + fields);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }
}
