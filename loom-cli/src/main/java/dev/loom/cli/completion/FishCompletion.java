package dev.loom.cli.completion;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** A completion script for fish, which picocli does not generate. */
final class FishCompletion {
    private final String program;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String program) {
        this.program = program;
    }

    /** The script for a command and all its subcommands. */
    static String script(CommandSpec root) {
        String name = root.name();
        FishCompletion completion = new FishCompletion(name);
        completion.script.append("# fish completion for " + name
                + "; source it, or keep it as ~/.config/fish/completions/" + name + ".fish\n");
        completion.addCommand(root, List.of());
        completion.script.append(
                "complete -c " + name + " -n 'not __fish_use_subcommand' -a '(set -l words (commandline -opc);"
                        + " set -l loom (string replace -r \"^~\" $HOME -- $words[1]);"
                        + " $loom __names -- $words[2..] (commandline -ct) 2>/dev/null)'\n");
        return completion.script.toString();
    }

    private void addCommand(CommandSpec command, List<String> path) {
        String condition = condition(command, path);
        Map<String, CommandSpec> visible = new LinkedHashMap<>();
        command.subcommands().forEach((name, below) -> {
            if (!below.getCommandSpec().usageMessage().hidden()) {
                visible.put(name, below.getCommandSpec());
            }
        });
        visible.forEach((name, below) -> {
            begin(condition).append(" -f -a ").append(quoted(name));
            addDescription(below.usageMessage().description());
        });
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                addOption(option, condition);
            }
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            Iterable<String> candidates = parameter.completionCandidates();
            if (candidates != null) {
                begin(condition)
                        .append(" -f -a ")
                        .append(quoted(String.join(" ", candidates)))
                        .append('\n');
            }
        }
        visible.forEach((name, below) -> {
            List<String> longer = new ArrayList<>(path);
            longer.add(name);
            addCommand(below, longer);
        });
    }

    /** True where this command's own words are expected: its path is typed, and none of its subcommands. */
    private static String condition(CommandSpec command, List<String> path) {
        List<String> parts = new ArrayList<>();
        path.forEach(word -> parts.add("__fish_seen_subcommand_from " + word));
        if (path.isEmpty()) {
            parts.add("__fish_use_subcommand");
        } else if (!command.subcommands().isEmpty()) {
            parts.add("not __fish_seen_subcommand_from "
                    + String.join(" ", command.subcommands().keySet()));
        }
        return String.join("; and ", parts);
    }

    private void addOption(OptionSpec option, String condition) {
        StringBuilder line = begin(condition);
        for (String name : option.names()) {
            line.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceFirst("^--?", ""));
        }
        if (option.arity().max() > 0) {
            line.append(" -r");
            Iterable<String> candidates = option.completionCandidates();
            if (candidates != null) {
                line.append(" -f -a ").append(quoted(String.join(" ", candidates)));
            }
        }
        addDescription(option.description());
    }

    private StringBuilder begin(String condition) {
        return script.append("complete -c ").append(program).append(" -n ").append(quoted(condition));
    }

    private void addDescription(String[] description) {
        if (description.length > 0) {
            script.append(" -d ").append(quoted(description[0]));
        }
        script.append('\n');
    }

    private static String quoted(String text) {
        return '\'' + text.replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }
}
