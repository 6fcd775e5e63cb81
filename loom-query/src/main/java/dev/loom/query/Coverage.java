package dev.loom.query;

/** How many of a chunk's records meet a condition, as far as indexes tell. */
enum Coverage {
    NONE,
    /** Some, or not known. */
    SOME,
    ALL;

    Coverage and(Coverage other) {
        return compareTo(other) <= 0 ? this : other;
    }

    Coverage or(Coverage other) {
        return compareTo(other) >= 0 ? this : other;
    }

    Coverage not() {
        return this == NONE ? ALL : this == ALL ? NONE : SOME;
    }
}
