package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Which source the records of one signal go to, by their resource: that of their signal, or one for each value of a resource attribute, such as
 * {@code otlp.logs.checkout}. The number of the latter is bounded; what is over goes to the signal's source, as does a
 * resource without the attribute. Owned by whoever has the writer's turn.
 */
final class SourceRoutes {
    /** Bytes of a value that count. */
    private static final int VALUE_LENGTH_MAX = 128;

    private static final char REPLACEMENT = '_';

    private final SourceDefinitions definitions;
    private final int sourcesMax;
    private final @Nullable ResourceAttribute attribute;
    private final Signal signal;
    private final String defaultName;
    private final ByteKeys byValue;
    private int defaultId;
    private boolean overflowed;

    SourceRoutes(SourceDefinitions definitions, Signal signal, @Nullable String attribute, int sourcesMax) {
        this.definitions = definitions;
        this.sourcesMax = sourcesMax;
        this.attribute = attribute == null ? null : new ResourceAttribute(attribute);
        this.signal = signal;
        defaultName = SourceDefinitions.defaultName(signal);
        defaultId = definitions.define(signal, defaultName);
        byValue = attribute == null ? new ByteKeys(1, 0) : new ByteKeys(sourcesMax, sourcesMax * VALUE_LENGTH_MAX);
    }

    /**
     * Goes on with the sources that are open now; those that were closed are defined anew, when they are needed.
     *
     * @throws IllegalArgumentException when the store has the signal's name for something else, or no room
     */
    void reopen() {
        byValue.clear();
        defaultId = definitions.define(signal, defaultName);
    }

    /** The id of the source for the records of a resource. */
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
            id = defaultId;
            if (byValue.size() < sourcesMax) {
                id = define(context.buffer(), offset, length);
                byValue.put(hash, context.buffer(), offset, length, id);
            }
        }
        overflowed = id == defaultId;
        return (int) id;
    }

    /** Whether the resource that was routed last should have a source of its own, for which there is no room. */
    boolean overflowed() {
        return overflowed;
    }

    /** Defines the source of a value; the signal's own where the store refuses that. */
    private int define(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        String value = legal(new String(bytes, StandardCharsets.UTF_8));
        try {
            return definitions.define(signal, defaultName + '.' + value);
        } catch (IllegalArgumentException e) {
            return defaultId;
        }
    }

    /** The value as a part of a source's name, which has printable characters alone and no spaces. */
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
