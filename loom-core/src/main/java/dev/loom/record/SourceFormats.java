package dev.loom.record;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The text of each source's format by the source's id, looked up at the first call. For one thread. */
public final class SourceFormats implements IntFunction<@Nullable String> {
    private final Snapshot snapshot;
    private final Map<Integer, String> formats = new HashMap<>();

    public SourceFormats(Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    @Override
    public @Nullable String apply(int sourceId) {
        if (formats.isEmpty()) {
            for (Source source : snapshot.sources()) {
                formats.put(source.id(), source.format().text());
            }
        }
        return formats.get(sourceId);
    }
}
