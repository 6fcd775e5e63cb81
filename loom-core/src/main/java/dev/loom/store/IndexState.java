package dev.loom.store;

/** What is known of the indexes that a store had when it was opened. */
enum IndexState {
    /** They can be read, as far as was looked. */
    WHOLE(0),

    /** The store was not closed once, and their pages have not been read since. */
    UNCHECKED(1),

    /** A page is damaged: they are written anew at the next opening. */
    DAMAGED(2);

    private final int code;

    IndexState(int code) {
        this.code = code;
    }

    /** As it is in the mark. */
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
