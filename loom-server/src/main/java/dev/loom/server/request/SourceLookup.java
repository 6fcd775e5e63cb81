package dev.loom.server.request;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.server.text.SimilarText;
import java.util.stream.Collectors;

/** Finds the source that a request names. */
public final class SourceLookup {
    private static final char ID_MARK = '#';

    private SourceLookup() {}

    /**
     * Finds a source by its name, or by {@code #} and its id, which tells sources of the same name apart.
     *
     * @throws RefusedException if there is none; the message names the existing ones
     */
    public static Source find(Snapshot snapshot, String text) {
        return snapshot.source(text)
                .or(() -> snapshot.sources().stream()
                        .filter(source -> text.equals(ID_MARK + Integer.toString(source.id())))
                        .findFirst())
                .orElseThrow(() -> RefusedException.notFound(
                        "no such source: " + text + suggestion(snapshot, text) + "; " + names(snapshot)));
    }

    private static String suggestion(Snapshot snapshot, String text) {
        return SimilarText.suggestion(
                text, snapshot.sources().stream().map(Source::name).toList());
    }

    private static String names(Snapshot snapshot) {
        return snapshot.sources().isEmpty()
                ? "the store has no sources yet"
                : snapshot.sources().stream()
                        .map(Source::name)
                        .distinct()
                        .collect(Collectors.joining(", ", "sources: ", ""));
    }
}
