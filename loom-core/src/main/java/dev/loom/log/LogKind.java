package dev.loom.log;

/** The logs of a store. */
public enum LogKind {
    RECORD(1, "record"),
    TIME(2, "time");

    private final int code;
    private final String folder;

    LogKind(int code, String folder) {
        this.code = code;
        this.folder = folder;
    }

    /** The code in page headers; never 0. */
    public int code() {
        return code;
    }

    /** The folder of its segment files in the store's directory. */
    public String folder() {
        return folder;
    }
}
