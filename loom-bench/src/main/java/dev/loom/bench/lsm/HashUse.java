package dev.loom.bench.lsm;

/** Who computes digests in a lookup. */
public enum HashUse {
    /** Each level computes the same digest again. */
    REPEATED("a level"),
    /** Each level computes a digest of its own. */
    SEEDED("a level, seeded"),
    /** One digest serves all levels. */
    SHARED("shared");

    private final String text;

    HashUse(String text) {
        this.text = text;
    }

    /** As tables call it. */
    public String text() {
        return text;
    }

    KeyDigests digests() {
        return this == SHARED ? new SharedDigests() : new LevelDigests(this == SEEDED);
    }

    /** Whether filters that were built for the other have the same bits. */
    boolean sameBitsAs(HashUse other) {
        return (this == SEEDED) == (other == SEEDED);
    }
}
