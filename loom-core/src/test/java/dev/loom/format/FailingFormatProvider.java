package dev.loom.format;

import java.util.ServiceConfigurationError;
import java.util.Set;

/** Fails for each text, as its arguments say. Only a {@link ProvidingLoader} finds it. */
public final class FailingFormatProvider implements PayloadFormatProvider {
    /** {@code shifted} is a format that {@link ShiftedFormatProvider} provides. */
    @Override
    public Set<String> names() {
        return Set.of("failing", "shifted");
    }

    @Override
    @SuppressWarnings("NullAway") // no format is one of the failures
    public PayloadFormat parse(String text) {
        return switch (text.substring(text.indexOf(':') + 1)) {
            case "arguments" -> throw new IllegalArgumentException("injected failure");
            case "linkage" -> throw new NoClassDefFoundError("injected failure");
            case "service" -> throw new ServiceConfigurationError("injected failure");
            case "none" -> null;
            default -> throw new IllegalStateException("injected failure");
        };
    }
}
