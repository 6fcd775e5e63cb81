package dev.loom.store;

import dev.loom.log.FilePart;
import java.nio.file.Path;
import java.util.List;

/** What can be wrong with a store's files. */
enum Damage {
    /** A page's checksum differs, or the page can't be read. */
    PAGE,
    /** A segment file is missing. */
    MISSING,
    /** A segment file ends early. */
    SHORT,
    /** A segment file goes on behind the log's end. */
    AFTER_END,
    /** A file is not a segment of its log. */
    FOREIGN,
    /** An entry of the schema is damaged or missing. */
    SCHEMA,
    /** A slot of the mark is damaged. */
    MARK,
    /** No copy of the open page is whole. */
    OPEN_PAGE,
    /** An intact page says what can't be. */
    CONTENTS;

    /** Receives what is wrong. */
    interface Handler {
        /**
         * Called once per problem.
         *
         * @param parts of the file, where a repair leaves the damage in its place; empty if there is nothing to copy
         */
        void onDamage(Damage kind, Path file, long offset, List<FilePart> parts, String message);

        /** Receives damage that was set aside before, and has not changed since. */
        default void onKnown(Path file, long offset, String message) {}
    }
}
