package dev.loom.format;

import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The built-in formats, and the parser of text forms. */
public final class Formats {
    /** After this number of providers that can't be loaded, the others of the class loader are given up. */
    private static final int PROVIDERS_BROKEN_MAX = 100;

    private static final Set<String> BUILT_IN =
            Set.of(StructFormat.NAME, WholeFormat.TEXT_NAME, JsonFormat.NAME, WholeFormat.BYTES_NAME, TimedFormat.NAME);

    private Formats() {}

    /** UTF-8 text, one line per record: one field, {@code line}, which is the payload. */
    public static PayloadFormat text() {
        return WholeFormat.TEXT;
    }

    /**
     * One JSON value per record, fields by dotted path: {@code a.b}, {@code a.0.b}. A key that itself contains dots
     * takes precedence over a path through objects, the longest key first. The empty path is the whole value, which it
     * has only if the entire payload is well-formed.
     */
    public static PayloadFormat json() {
        return JsonFormat.INSTANCE;
    }

    /** Uninterpreted bytes: one field, {@code bytes}, which is the payload. */
    public static PayloadFormat bytes() {
        return WholeFormat.BYTES;
    }

    /**
     * Typed fields; those of fixed size have fixed offsets. Written by {@link StructWriter}.
     *
     * @throws IllegalArgumentException for no fields or more than {@link StructFormat#FIELD_COUNT_MAX}, or a duplicate
     *     or invalid name
     */
    public static StructFormat struct(List<Field> fields) {
        return new StructFormat(fields);
    }

    /**
     * As {@link #struct(List)}, with the fields in text form: {@code latency_ns:i64,key:utf8?}. A question mark marks
     * an optional field.
     *
     * @throws IllegalArgumentException as that method, and for text that is not a field
     */
    public static StructFormat struct(String fields) {
        return StructFormat.parse(StructFormat.NAME + ':' + fields);
    }

    /**
     * Payloads of another format, each preceded by the time of its event: 8 bytes, little-endian, epoch nanoseconds.
     * The field {@code event_time} is that time; the others are those of the other format. If that declares none, the
     * rest of the payload is one field with the format's name, such as {@code json}.
     *
     * @throws IllegalArgumentException when the format itself has a field {@code event_time}
     */
    public static PayloadFormat timed(PayloadFormat format) {
        return new TimedFormat(format);
    }

    /**
     * Parses a format from its text form: {@code text}, {@code json}, {@code bytes}, {@code struct:ts_ns:i64,op:utf8?},
     * {@code timed:} followed by another text form, or a form of a {@link PayloadFormatProvider}, which the calling thread's
     * context class loader is asked for.
     *
     * @throws IllegalArgumentException as {@link #parse(String, ClassLoader)}
     */
    public static PayloadFormat parse(String text) {
        return parse(text, Thread.currentThread().getContextClassLoader());
    }

    /**
     * As {@link #parse(String)}, with the providers of a class loader, and then those of Loom's own.
     *
     * @param loader null for the system's
     * @throws IllegalArgumentException for an unknown name, in which case the message names the known ones; for wrong
     *     arguments; and when the provider fails, in which case the message names it and what it threw
     */
    public static PayloadFormat parse(String text, @Nullable ClassLoader loader) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        return switch (name) {
            case StructFormat.NAME -> StructFormat.parse(text);
            case TimedFormat.NAME -> TimedFormat.parse(text, loader);
            case WholeFormat.TEXT_NAME -> withoutArguments(text, WholeFormat.TEXT);
            case JsonFormat.NAME -> withoutArguments(text, JsonFormat.INSTANCE);
            case WholeFormat.BYTES_NAME -> withoutArguments(text, WholeFormat.BYTES);
            default -> provided(name, text, loader);
        };
    }

    private static PayloadFormat withoutArguments(String text, PayloadFormat format) {
        if (!text.equals(format.text())) {
            throw new IllegalArgumentException("payload format takes no arguments: text=" + text);
        }
        return format;
    }

    /**
     * As {@link #parse(String, ClassLoader)}, except that a format which can't be parsed is read as {@code bytes}, whose {@link
     * PayloadFormat#failure()} says why.
     */
    public static PayloadFormat parseOrBytes(String text, @Nullable ClassLoader loader) {
        try {
            return parse(text, loader);
        } catch (IllegalArgumentException e) {
            return WholeFormat.BYTES.because(String.valueOf(e.getMessage()));
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) { // a format of the program's own may throw anything
            return WholeFormat.BYTES.because("payload format failed: format=" + text + ", reason=" + e);
        }
    }

    private static PayloadFormat provided(String name, String text, @Nullable ClassLoader loader) {
        Set<String> known = new TreeSet<>(BUILT_IN);
        @Nullable Throwable broken = null;
        for (ServiceLoader<PayloadFormatProvider> each : loaders(loader)) {
            Iterator<PayloadFormatProvider> providers = each.iterator();
            int failures = 0;
            while (failures < PROVIDERS_BROKEN_MAX) {
                PayloadFormatProvider provider;
                try {
                    if (!providers.hasNext()) {
                        break;
                    }
                    provider = providers.next();
                    Set<String> names = names(provider);
                    known.addAll(names);
                    if (!names.contains(name)) {
                        continue;
                    }
                } catch (VirtualMachineError e) {
                    throw e;
                } catch (Throwable e) {
                    broken = e; // another one may have the format
                    failures++;
                    continue;
                }
                return parsed(provider, text);
            }
        }
        if (broken != null) {
            String cause = broken.getCause() == null ? "" : ", cause=" + broken.getCause();
            throw new IllegalArgumentException(
                    "payload format provider can't be loaded: format=" + name + ", reason=" + broken + cause, broken);
        }
        throw new IllegalArgumentException("unknown payload format: name=" + name + ", known=" + known);
    }

    private static Set<String> names(PayloadFormatProvider provider) {
        try {
            return Set.copyOf(provider.names());
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) {
            throw new ServiceConfigurationError(provider.getClass().getName() + " does not return its names", e);
        }
    }

    private static PayloadFormat parsed(PayloadFormatProvider provider, String text) {
        try {
            return Objects.requireNonNull(provider.parse(text), "no format");
        } catch (IllegalArgumentException e) {
            throw e; // wrong arguments
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable e) { // whatever is thrown, the program's own code has failed
            throw new IllegalArgumentException(
                    "payload format provider failed: format=" + text + ", provider="
                            + provider.getClass().getName() + ", reason=" + e,
                    e);
        }
    }

    /** The application's class loader comes first; in an agent it may differ from ours, or be absent. */
    private static List<ServiceLoader<PayloadFormatProvider>> loaders(@Nullable ClassLoader loader) {
        return List.of(
                ServiceLoader.load(PayloadFormatProvider.class, loader),
                ServiceLoader.load(PayloadFormatProvider.class, Formats.class.getClassLoader()));
    }
}
