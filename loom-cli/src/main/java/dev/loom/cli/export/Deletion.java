package dev.loom.cli.export;

import dev.loom.query.model.Completeness;

/** Which records of an export's range retention deleted. */
enum Deletion {
    NONE,
    /** Some before the export began, or perhaps. */
    BEFORE,
    /** Some before they were exported, though they were there when it began. */
    MEANWHILE;

    static Deletion of(Completeness completeness) {
        return completeness.overtaken() ? MEANWHILE : completeness.expired() ? BEFORE : NONE;
    }

    /** The graver one. */
    Deletion and(Deletion other) {
        return compareTo(other) < 0 ? other : this;
    }
}
