package dev.loom.format;

import java.util.Set;

/** Has no names. Only a {@link ProvidingLoader} finds it. */
public final class NamelessFormatProvider implements PayloadFormatProvider {
    @Override
    public Set<String> names() {
        throw new UnsupportedOperationException("injected failure");
    }

    @Override
    public PayloadFormat parse(String text) {
        throw new AssertionError(text);
    }
}
