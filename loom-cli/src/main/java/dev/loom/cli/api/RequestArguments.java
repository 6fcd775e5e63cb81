package dev.loom.cli.api;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Turns a request's members into command-line arguments. A member is named like an option without its dashes, short or long, or
 * like a positional parameter in lower case.
 */
final class RequestArguments {
    /** Options that the client may not choose. */
    private static final Set<String> RESERVED = Set.of("dir", "output", "help", "version");

    private final CommandSpec command;

    RequestArguments(CommandSpec command) {
        this.command = command;
    }

    /**
     * Builds arguments in which no value can be mistaken for an option.
     *
     * @throws ApiFailure for a member that the command does not have, and for a value that is not a text, number or boolean, or a
     *     list of them
     */
    List<String> of(Map<String, ? extends @Nullable Object> request) {
        Map<String, @Nullable Object> members = new HashMap<>(request);
        List<String> positionals = new ArrayList<>();
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            Object value = members.remove(name(parameter));
            if (value != null) {
                positionals.add(text(name(parameter), value));
            }
        }
        List<String> arguments = new ArrayList<>();
        new TreeMap<>(members).forEach((name, value) -> addOption(name, value, arguments));
        arguments.add("--");
        arguments.addAll(positionals);
        return arguments;
    }

    private static String name(PositionalParamSpec parameter) {
        return parameter.paramLabel().toLowerCase(Locale.ROOT);
    }

    private void addOption(String name, @Nullable Object value, List<String> arguments) {
        String dashed = (name.length() == 1 ? "-" : "--") + name;
        OptionSpec option = command.optionsMap().get(dashed);
        if (option == null || RESERVED.contains(longName(option))) {
            throw ApiFailure.badRequest("unknown member: " + name + "; known: " + names());
        } else if (value instanceof List<?> values) {
            values.forEach(element -> addValue(option, name, element, arguments));
        } else if (value != null) {
            addValue(option, name, value, arguments);
        }
    }

    private static String longName(OptionSpec option) {
        return option.longestName().replaceFirst("^-+", "");
    }

    private void addValue(OptionSpec option, String name, @Nullable Object value, List<String> arguments) {
        boolean flag = option.arity().max() == 0;
        if (flag != value instanceof Boolean) {
            throw ApiFailure.badRequest("member is " + (flag ? "not" : "") + " true or false: " + name);
        } else if (!flag) {
            arguments.add(option.longestName() + '=' + text(name, value));
        } else if (Boolean.TRUE.equals(value)) {
            arguments.add(option.longestName());
        }
    }

    private static String text(String name, @Nullable Object value) {
        if (!(value instanceof String text)) {
            throw ApiFailure.badRequest("member is no text or number: " + name);
        }
        return text;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        command.positionalParameters().forEach(parameter -> names.add(name(parameter)));
        command.options().stream()
                .map(RequestArguments::longName)
                .filter(name -> !RESERVED.contains(name))
                .sorted()
                .forEach(names::add);
        return names;
    }
}
