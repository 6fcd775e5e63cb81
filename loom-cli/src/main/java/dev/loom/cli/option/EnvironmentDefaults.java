package dev.loom.cli.option;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Gives {@code --some-option} the value of {@code LOOM_SOME_OPTION} where the command line does not. */
public final class EnvironmentDefaults implements IDefaultValueProvider {
    private static final String PREFIX = "LOOM_";

    private final Map<String, String> environment;

    public EnvironmentDefaults(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    /** The variable of an option, by its long name. */
    static String variable(OptionSpec option) {
        return PREFIX + option.longestName().substring(2).replace('-', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option) || option.usageHelp() || option.versionHelp()) {
            return null;
        } else if (option.command() != null && option.command().name().equals("demo")) {
            // it makes a store of its own, so that LOOM_DIR, the user's, is not where it goes
            return argument.defaultValue();
        }
        String value = option.longestName().startsWith("--") ? environment.get(variable(option)) : null;
        return value == null || value.isEmpty() ? argument.defaultValue() : value;
    }
}
