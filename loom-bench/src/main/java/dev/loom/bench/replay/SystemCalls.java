package dev.loom.bench.replay;

/** Numbers of system calls on x86-64. */
public final class SystemCalls {
    /** Reads from a file at a position. */
    public static final int PREAD64 = 17;

    /** Sends to a socket. */
    public static final int SENDTO = 44;

    /** Receives from a socket. */
    public static final int RECV = 45;

    static final int WRITE = 1;
    static final int EPOLL_WAIT = 232;

    /** Stands for any call. */
    public static final int ANY = 0;

    private SystemCalls() {}
}
