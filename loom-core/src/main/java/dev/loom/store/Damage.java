package dev.loom.store;

import java.nio.file.Path;

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
    /** An intact page says what can't be. */
    CONTENTS;

    /** Receives what is wrong. */
    interface Handler {
        void onDamage(Damage kind, Path file, long offset, String message);

        /** Receives damage that was set aside before, and has not changed since. */
        default void onKnown(Path file, long offset, String message) {}
    }
}
