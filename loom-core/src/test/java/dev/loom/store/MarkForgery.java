package dev.loom.store;

/** Marks that another process would write. */
final class MarkForgery {
    private MarkForgery() {}

    static Mark ownedBy(Mark mark, Mark.Owner owner) {
        return owned(mark, owner, mark.sessionNonce());
    }

    /** The mark of another session, which has taken the store over. */
    static Mark ofSession(Mark mark, long nonce) {
        return owned(
                mark,
                new Mark.Owner(new dev.loom.io.ProcessId(1, 2, 3), mark.owner().bootId(), "other"),
                nonce);
    }

    private static Mark owned(Mark mark, Mark.Owner owner, long nonce) {
        return mark.owned(owner, nonce, mark.staging(), Rings.of(mark), Rings.of(mark), mark.indexState(), mark.file());
    }
}
