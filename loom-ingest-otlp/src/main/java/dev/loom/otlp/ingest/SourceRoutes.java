package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Picks the source for the records of one signal, by their resource: the signal's source, or one per value of a resource
 * attribute, such as {@code otlp.logs.checkout}. The X */
final class SourceRoutes {
    /** The leading bytes of a value that count. */
    private static final int VALUE_LENGTH_MAX = 128;

    private static final char REPLACEMENT = '_';

    private final SourceDefinitions definitions;
    private final int sourcesMax;
    private final @Nullable ResourceAttribute attribute;
    private final Signal signal;
    private final String defaultName;
    private final ByteKeys byValue;
    private int defaultId;
    private int sources;
    private boolean overflowed;

    SourceRoutes(SourceDefinitions definitions, Signal signal, @Nullable String attribute, int sourcesMax) {
        this.definitions = definitions;
        this.sourcesMax = sourcesMax;
        this.attribute = attribute == null ? null : new ResourceAttribute(attribute);
        this.signal = signal;
        defaultName = SourceDefinitions.defaultName(signal);
        defaultId = definitions.define(signal, defaultName);
        sources = open();
        byValue = attribute == null ? new ByteKeys(1, 0) : new ByteKeys(sourcesMax, sourcesMax * VALUE_LENGTH_MAX);
    }

    /**
     * Continues with the sources that are now open; closed ones are defined again when needed.
     *
     * @throws IllegalArgumentException if the store uses the signal's name for something else, or has no room
     */
    void reopen() {
        byValue.clear();
        defaultId = definitions.define(signal, defaultName);
        sources = open();
    }

    /** The number of sources that values have, also of earlier starts. */
    private int open() {
        return attribute == null ? 0 : definitions.open(signal, defaultName + '.');
    }

    /** The id of the source for a resource's records. */
    int route(ContextBytes context) {
        overflowed = false;
        if (attribute == null || !attribute.find(context.buffer(), 0, context.resourceLength())) {
            return defaultId;
        }
        int offset = attribute.offset();
        int length = Math.min(attribute.length(), VALUE_LENGTH_MAX);
        long hash = ByteKeys.hash(context.buffer(), offset, length);
        long id = byValue.get(hash, context.buffer(), offset, length);
        if (id == ByteKeys.MISSING) {
            id = define(context.buffer(), offset, length);
            if (id == ByteKeys.MISSING) {
                id = defaultId;
            } else if (!byValue.put(hash, context.buffer(), offset, length, id)) {
                byValue.clear();
                byValue.put(hash, context.buffer(), offset, length, id);
            }
        }
        overflowed = id == defaultId;
        return (int) id;
    }

    /**
     * Whether the last resource routed went to the signal's source though it has the attribute: the limit on sources was
     * reached, or the store refused its own.
     */
    boolean overflowed() {
        return overflowed;
    }

    /**
     * Finds or defines the source of a value; takes the signal's source if the store refuses.
     *
     * @return its id, or {@link ByteKeys#MISSING} if there is none and there may be no more
     */
    private long define(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        String name = defaultName + '.' + legal(new String(bytes, StandardCharsets.UTF_8));
        boolean isNew = !definitions.isOpen(name);
        if (isNew && sources >= sourcesMax) {
            return ByteKeys.MISSING;
        }
        long id;
        try {
            id = definitions.define(signal, name);
        } catch (IllegalArgumentException e) {
            id = defaultId; // counted all the same, so that the store is not asked for ever new ones that it refuses
        } catch (RuntimeException | Error e) {
            // the disk, or memory: the client sends again, and nothing counts twice
            sources += isNew && definitions.isOpen(name) ? 1 : 0;
            throw e;
        }
        sources += isNew ? 1 : 0;
        return id;
    }

    /** The value as part of a source name, which allows only printable characters and no spaces. */
    private static String legal(String value) {
        StringBuilder legal = new StringBuilder(value.length());
        value.codePoints().forEach(c -> {
            boolean printable = Character.isDefined(c)
                    && !Character.isISOControl(c)
                    && !Character.isWhitespace(c)
                    && !Character.isSpaceChar(c)
                    && Character.getType(c) != Character.FORMAT;
            legal.appendCodePoint(printable ? c : REPLACEMENT);
        });
        return legal.toString();
    }
}
