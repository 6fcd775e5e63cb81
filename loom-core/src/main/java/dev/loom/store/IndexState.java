package dev.loom.store;

/** What is known about the indexes that a store had when it was opened. */
enum IndexState {
    /** They are readable, as far as was checked. */
    WHOLE(0),

    /** The store was once not closed, and their pages have not been checked since. */
    UNCHECKED(1),

    /** A page is damaged; the next opening rebuilds the indexes. */
    DAMAGED(2);

    private final int code;

    IndexState(int code) {
        this.code = code;
    }

    /** The code in the mark. */
    int code() {
        return code;
    }

    static IndexState of(int code) {
        for (IndexState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return DAMAGED;
    }
}
