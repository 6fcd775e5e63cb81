package dev.loom.cli.completion;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A manual page, section 1, in man(7) macros, generated from picocli's model. */
final class ManPage {
    private static final Pattern SPACES = Pattern.compile("\\s+");

    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    static String of(CommandSpec root) {
        ManPage page = new ManPage();
        page.write(root);
        return page.page.toString();
    }

    private void write(CommandSpec root) {
        line(".TH LOOM 1");
        section("NAME");
        line(escaped(root.name()) + " \\- " + escaped(description(root)));
        section("SYNOPSIS");
        line(".B " + escaped(root.name()));
        line(".I COMMAND");
        line("[options]");
        section("COMMANDS");
        root.subcommands().values().forEach(command -> addCommand(command.getCommandSpec()));
        section("EXIT STATUS AND ENVIRONMENT");
        for (String text : root.usageMessage().footer()) {
            line(escaped(text));
        }
    }

    private void addCommand(CommandSpec command) {
        if (command.usageMessage().hidden()) {
            return;
        }
        line(".SS " + escaped(command.qualifiedName(" ")));
        line(escaped(description(command)));
        if (command.subcommands().isEmpty()) {
            line(".PP");
            line(escaped(synopsis(command)));
        }
        Set<ArgSpec> arguments = new LinkedHashSet<>(command.positionalParameters());
        command.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp() && !option.inherited())
                .forEach(arguments::add);
        for (ArgSpec argument : arguments) {
            if (!argument.hidden() && command.subcommands().isEmpty()) {
                line(".TP");
                line(".B " + escaped(name(argument)));
                line(escaped(description(argument)));
            }
        }
        for (CommandLine below : new LinkedHashSet<>(command.subcommands().values())) {
            addCommand(below.getCommandSpec());
        }
    }

    private static String description(CommandSpec command) {
        return String.join(" ", command.usageMessage().description()).replace("%n", "");
    }

    private static String description(ArgSpec argument) {
        String text = String.join(" ", argument.description());
        Iterable<String> choices = argument.completionCandidates();
        return choices == null ? text : text.replace("${COMPLETION-CANDIDATES}", String.join(", ", choices));
    }

    private static String synopsis(CommandSpec command) {
        Help help = new Help(command, Help.defaultColorScheme(Ansi.OFF));
        return SPACES.matcher(help.synopsis(0)).replaceAll(" ").strip();
    }

    private static String name(ArgSpec argument) {
        if (argument instanceof OptionSpec option) {
            String value = option.arity().max() > 0 ? " " + option.paramLabel() : "";
            return String.join(", ", option.names()) + value;
        }
        return argument.paramLabel();
    }

    private void section(String name) {
        line(".SH " + (name.indexOf(' ') < 0 ? name : '"' + name + '"'));
    }

    private void line(String text) {
        if (!text.isEmpty()) {
            page.append(text).append('\n');
        }
    }

    /** Escapes text so that it contains no macro or escape. */
    private static String escaped(String text) {
        String plain = text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ");
        return plain.startsWith(".") || plain.startsWith("'") ? "\\&" + plain : plain;
    }
}
