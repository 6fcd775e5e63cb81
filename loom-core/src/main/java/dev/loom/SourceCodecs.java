package dev.loom;

import dev.loom.api.Source;
import dev.loom.format.StructCodec;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Refuses codecs that are not of their source's format. A source never changes its format, so the codec found to be right
 * is kept, and the next push with it compares two references. Any thread.
 */
final class SourceCodecs {
    private final IntFunction<@Nullable Source> sources;

    /**
     * The last codec of each source, by id. Codecs are immutable, so elements are read and replaced without order, and one that a
     * growing array loses is found again.
     */
    private volatile @Nullable StructCodec<?>[] known = new StructCodec<?>[16];

    /** @param sources the source of an id, or null */
    SourceCodecs(IntFunction<@Nullable Source> sources) {
        this.sources = sources;
    }

    /** @throws IllegalArgumentException if the codec is of another format than the source, or there is no such source */
    void require(int sourceId, StructCodec<?> codec) {
        @Nullable StructCodec<?>[] all = known;
        if (sourceId < 0 || sourceId >= all.length || all[sourceId] != codec) {
            check(sourceId, codec);
        }
    }

    private void check(int sourceId, StructCodec<?> codec) {
        Source source = sources.apply(sourceId);
        if (source == null || sourceId == 0) {
            throw new IllegalArgumentException("source is not defined: id=" + sourceId);
        }
        if (!source.format().equals(codec.format())) {
            throw new IllegalArgumentException("codec has a different format than its source: source=" + source.name()
                    + ", format=" + source.format().text() + ", class="
                    + codec.type().getTypeName() + ", codec=" + codec.format());
        }
        keep(sourceId, codec);
    }

    private void keep(int sourceId, StructCodec<?> codec) {
        @Nullable StructCodec<?>[] all = known;
        if (sourceId >= all.length) {
            all = Arrays.copyOf(all, Integer.highestOneBit(sourceId) * 2);
            known = all;
        }
        all[sourceId] = codec;
    }
}
