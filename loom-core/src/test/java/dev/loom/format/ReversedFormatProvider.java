package dev.loom.format;

import java.io.IOError;
import java.io.IOException;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** A provider found by the service loader in the tests: formats with one field, and with one of a given name. */
public final class ReversedFormatProvider implements PayloadFormatProvider {
    @Override
    public Set<String> names() {
        return Set.of("reversed", "json");
    }

    @Override
    public PayloadFormat parse(String text) {
        return new Reversed(text);
    }

    /** Throws anything without its being declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable failure) throws T {
        throw (T) failure;
    }

    private record Reversed(String text) implements PayloadFormat {
        @Override
        public String name() {
            return "reversed";
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field(text.substring(text.indexOf(':') + 1), Field.Type.U8, false));
        }

        /** Gives the last byte; throws for the names of {@link #failFor}. */
        @Override
        public FieldReader field(String name) {
            return (buffer, offset, length, into) -> {
                failFor(name);
                if (name.equals("exhausted")) {
                    throw new OutOfMemoryError("injected failure of a format");
                }
                into.setInteger(buffer.getByte(offset + length - 1));
            };
        }

        /** Throws for the same fields. */
        @Override
        public IndexedText indexedText() {
            failFor(fields().get(0).name());
            return PayloadFormat.super.indexedText();
        }

        private static void failFor(String name) {
            switch (name) {
                case "fail" -> throw new IllegalStateException("injected failure of a format");
                case "overflow" -> throw new StackOverflowError("injected failure of a format");
                case "unlinked" -> throw new NoClassDefFoundError("injected failure of a format");
                case "unconfigured" -> throw new ServiceConfigurationError("injected failure of a format");
                case "unreadable" -> throw new IOError(new IOException("injected failure of a format"));
                case "cancelled" -> throw new CancellationException("injected failure of a format");
                case "unchecked" ->
                    ReversedFormatProvider.<RuntimeException>sneak(new IOException("injected failure of a format"));
                default -> {
                    // reads it
                }
            }
        }
    }
}
