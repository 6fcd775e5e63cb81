package dev.loom.server;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces environment variables in a text, as the OpenTelemetry Collector does: {@code ${env:NAME}} and {@code ${NAME}} by the
 * variable's value, {@code ${env:NAME:-text}} by the text if the variable is not set, {@code $$} by {@code $}. A {@code $} before
 * anything else stands for itself.
 */
final class VariableReferences {
    private static final Pattern REFERENCE = Pattern.compile("\\$(?:\\$|\\{([^}]*)(}?))");
    private static final Pattern VARIABLE =
            Pattern.compile("(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(:-(.*))?", Pattern.DOTALL);

    private final Map<String, String> environment;

    VariableReferences(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * Replaces the references in a text. Values are not searched for references.
     *
     * @throws IllegalArgumentException for a variable that is not set, and for braces that hold no variable's name
     */
    String replace(String text) {
        return REFERENCE
                .matcher(text)
                .replaceAll(found ->
                        Matcher.quoteReplacement(found.group(1) == null ? "$" : value(found.group(), found.group(1))));
    }

    private String value(String reference, String inBraces) {
        Matcher variable = VARIABLE.matcher(inBraces);
        if (!reference.endsWith("}") || !variable.matches()) {
            throw new IllegalArgumentException(
                    "reference is not ${NAME}, ${env:NAME} or ${env:NAME:-text}: reference=" + reference);
        }
        String value = environment.get(variable.group(1));
        if (value != null) {
            return value;
        } else if (variable.group(2) != null) {
            return variable.group(3);
        }
        throw new IllegalArgumentException("environment variable is not set: name=" + variable.group(1));
    }
}
