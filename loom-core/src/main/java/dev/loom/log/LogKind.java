package dev.loom.log;

/** The logs of a store. */
public enum LogKind {
    RECORD(1, "record"),
    TIME(2, "time"),
    CHUNK(3, "chunk");

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

    /** The log's index, from 0, wherever all logs are listed, as in marks and the live file. */
    public int index() {
        return code - 1;
    }

    /** The folder of the segment files in the store's directory. */
    public String folder() {
        return folder;
    }
}
