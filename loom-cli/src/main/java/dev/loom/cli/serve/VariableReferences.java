package dev.loom.cli.serve;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Replaces variables of the environment in a text, as the Collector does: {@code ${env:NAME}} and {@code ${NAME}} by its value,
 * {@code ${env:NAME:-text}} by the text where it is not set, {@code $$} by one {@code $}. A {@code $} before anything else stands
 * for itself.
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
     * The text with values in place of variables; what is in a value is left as it is.
     *
     * @throws IllegalArgumentException for a variable that is not set, and for braces that name none
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
