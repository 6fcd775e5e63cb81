package dev.loom.error;

/** Another writer has the store. */
public class StoreLockedException extends LoomException {
    private static final long serialVersionUID = 1L;

    private final long ownerPid;

    public StoreLockedException(String message, long ownerPid) {
        super(message);
        this.ownerPid = ownerPid;
    }

    /** The process id of the writer that has the store, or -1 if unknown, or if the writer is in another PID namespace. */
    public long ownerPid() {
        return ownerPid;
    }
}
