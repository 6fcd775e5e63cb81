package dev.loom.cli.option;

import dev.loom.server.text.SimilarText;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Gives {@code --some-option} the value of {@code LOOM_SOME_OPTION} unless the command line sets it. */
public final class EnvironmentDefaults implements IDefaultValueProvider {
    private static final String PREFIX = "LOOM_";
    private static final String DEMO = "demo";
    private static final String EXPORT = "export";
    /** Options of export whose variables are for other ones: the form of answers, and the source of an import. */
    private static final Set<String> OF_OTHERS = Set.of("--output", "--source");

    /** Variables that belong to no option. */
    private static final Set<String> OTHERS = Set.of("LOOM_DEBUG", "LOOM_JAVA_OPTS");

    /**
     * Suffix of a variable that Kubernetes sets for a service; its other variables begin with what precedes the suffix, the
     * service's name.
     */
    private static final String SERVICE_HOST = "_SERVICE_HOST";

    private final Map<String, String> environment;

    public EnvironmentDefaults(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** The variable of an option, from its long name. */
    static String variable(OptionSpec option) {
        return PREFIX + option.longestName().substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
            return null;
        } else if (option.command() != null && option.command().name().equals(DEMO)) {
            // it creates a store of its own, which must not go to the user's LOOM_DIR
            return argument.defaultValue();
        }
        String value = isNamed(option) && !isOfOthers(option) ? environment.get(variable(option)) : null;
        return value == null || value.isEmpty() ? argument.defaultValue() : value;
    }

    private static boolean isOfOthers(OptionSpec option) {
        return OF_OTHERS.contains(option.longestName())
                && option.command() != null
                && option.command().name().equals(EXPORT);
    }

    private static boolean isNamed(OptionSpec option) {
        return option.longestName().startsWith("--");
    }

    /** Variables with our prefix that belong to no option, each with the one that may have been meant. */
    public List<String> unknown(CommandLine commands) {
        if (!hasOurs()) {
            return List.of();
        }
        Set<String> known = new TreeSet<>(OTHERS);
        addVariables(commands, known);
        return environment.keySet().stream()
                .filter(name -> name.startsWith(PREFIX) && !known.contains(name) && !isOfService(name))
                .sorted()
                .map(name -> name + SimilarText.suggestion(name, known))
                .toList();
    }

    /** A loop, as most environments have none, and the rest takes longer than most commands run. */
    private boolean hasOurs() {
        for (String name : environment.keySet()) {
            if (name.startsWith(PREFIX)) {
                return true;
            }
        }
        return false;
    }

    private static void addVariables(CommandLine commands, Set<String> known) {
        for (CommandLine command : commands.getSubcommands().values()) {
            if (!command.getCommandName().equals(DEMO)) {
                addVariables(command, known);
                command.getCommandSpec().options().stream()
                        .filter(option -> isNamed(option) && !option.usageHelp() && !option.versionHelp())
                        .forEach(option -> known.add(variable(option)));
            }
        }
    }

    private boolean isOfService(String name) {
        return environment.keySet().stream()
                .filter(host -> host.endsWith(SERVICE_HOST))
                .map(host -> host.substring(0, host.length() - SERVICE_HOST.length()))
                .anyMatch(service -> name.startsWith(service + "_SERVICE_")
                        || name.equals(service + "_PORT")
                        || name.startsWith(service + "_PORT_"));
    }
}
