package dev.loom.store;

import dev.loom.io.FileId;
import dev.loom.log.LogKind;

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

    /** The mark of a store that was closed after a session with a timestamp index's ring of another length. */
    static Mark closedWithTimeRing(Mark mark, int length) {
        Rings rings = new Rings(mark.ringLength(LogKind.RECORD), length, mark.ringLength(LogKind.CHUNK));
        return mark.owned(
                        mark.owner(), mark.sessionNonce(), mark.staging(), rings, rings, mark.indexState(), mark.file())
                .ended(
                        mark.epoch(),
                        mark.ends(),
                        mark.schemaDurable(),
                        mark.checkpoint(),
                        mark.lastTimeNs(),
                        mark.file());
    }

    /** The mark as it would be in another file. */
    static Mark inFile(Mark mark, FileId file) {
        return mark.owned(
                mark.owner(),
                mark.sessionNonce(),
                mark.staging(),
                Rings.of(mark),
                Rings.of(mark),
                mark.indexState(),
                file);
    }

    private static Mark owned(Mark mark, Mark.Owner owner, long nonce) {
        return mark.owned(owner, nonce, mark.staging(), Rings.of(mark), Rings.of(mark), mark.indexState(), mark.file());
    }
}
