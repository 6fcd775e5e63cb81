package dev.loom.cli.completion;

import dev.loom.LoomReader;
import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.error.LoomException;
import dev.loom.server.request.SeenFields;
import dev.loom.server.text.TextBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * {@code loom __names}: completes the last of some words with names of sources, fields or indexes, one per line, for shell
 * scripts. It prints nothing if it can't tell.
 */
@Command(name = "__names", hidden = true)
public final class NamesCommand implements Callable<Integer> {
    private final Console console;

    @Unmatched
    private List<String> words = new ArrayList<>();

    @Spec
    private @Nullable CommandSpec spec;

    public NamesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        CommandSpec own = spec;
        if (own != null && words.size() > 1) {
            try {
                complete(own.root());
            } catch (LoomException | IllegalArgumentException e) {
                // no store, no names
            }
        }
        return ExitCode.OK;
    }

    private void complete(CommandSpec root) {
        WordsBefore before = new WordsBefore(root, words);
        ArgSpec wanted = before.wanted();
        Path directory = before.directory(console.environment().get("LOOM_DIR"));
        if (wanted == null || directory == null) {
            return;
        }
        String word = words.get(words.size() - 1);
        // complete the last element of a list
        String list = wanted instanceof OptionSpec ? word.substring(0, word.lastIndexOf(',') + 1) : "";
        String begun = word.substring(list.length());
        try (Store store = LoomReader.attach(directory);
                Snapshot snapshot = store.snapshot()) {
            TextBuffer lines = new TextBuffer(1024);
            names(wanted.paramLabel(), snapshot, before.source())
                    .filter(name -> name.startsWith(begun))
                    .sorted()
                    .distinct()
                    .forEach(name -> lines.put(list + name + '\n'));
            console.out().write(lines);
        }
    }

    private static Stream<String> names(String label, Snapshot snapshot, @Nullable String sourceName) {
        Optional<Source> source = sourceName == null ? Optional.empty() : snapshot.source(sourceName);
        return switch (label) {
            case "SOURCE", "OTHER" -> snapshot.sources().stream().map(Source::name);
            case "FIELD", "FIELD,FIELD", "EXPR" ->
                source.stream()
                        .map(found -> SeenFields.of(snapshot, found).names())
                        .flatMap(Collection::stream);
            case "INDEX" ->
                source.stream()
                        .flatMap(found -> snapshot.indexes(found.id()).stream().map(Index::name));
            default -> Stream.empty();
        };
    }

    /** The meaning of the words before the last one. */
    private static final class WordsBefore {
        private CommandSpec command;
        private @Nullable ArgSpec option;
        private final List<String> positionals = new ArrayList<>();
        private @Nullable String directory;
        private @Nullable String named;

        WordsBefore(CommandSpec root, List<String> words) {
            command = root;
            words.subList(0, words.size() - 1).forEach(this::take);
        }

        private void take(String word) {
            if (option != null) {
                value(option, word);
                option = null;
            } else if (word.startsWith("-") && word.length() > 1) {
                int equals = word.indexOf('=');
                OptionSpec found = command.findOption(equals < 0 ? word : word.substring(0, equals));
                if (found != null && equals >= 0) {
                    value(found, word.substring(equals + 1));
                } else if (found != null && found.arity().min() > 0) {
                    option = found;
                }
            } else {
                CommandLine below =
                        positionals.isEmpty() ? command.subcommands().get(word) : null;
                if (below == null) {
                    positionals.add(word);
                } else {
                    command = below.getCommandSpec();
                }
            }
        }

        private void value(ArgSpec of, String value) {
            if (of instanceof OptionSpec named && named.longestName().equals("--dir")) {
                directory = value;
            } else if (of instanceof OptionSpec named && named.longestName().equals("--source")) {
                this.named = value;
            }
        }

        /** The option or parameter that the last word belongs to. */
        @Nullable
        ArgSpec wanted() {
            if (option != null) {
                return option;
            }
            int place = positionals.size();
            return command.positionalParameters().stream()
                    .filter(parameter -> parameter.index().contains(place))
                    .findFirst()
                    .orElse(null);
        }

        /** The source that the words name. */
        @Nullable
        String source() {
            return positionals.isEmpty() ? named : positionals.get(0);
        }

        @Nullable
        Path directory(@Nullable String otherwise) {
            String path = directory == null ? otherwise : directory;
            return path == null || path.isEmpty() ? null : Path.of(path);
        }
    }
}
