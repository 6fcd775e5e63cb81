package dev.loom.io;

import dev.loom.error.StoreIoException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A process, distinct from all others of one boot, including those that reuse its pid later or in another container.
 *
 * @param pid as the process sees itself, in its PID namespace
 * @param start its start time in kernel clock ticks since the boot, which clock steps do not affect; on systems other
 *     than Linux, in milliseconds
 * @param namespace the number of its PID namespace, or 0 if unknown
 */
public record ProcessId(long pid, long start, long namespace) {
    /** The id of no process. */
    public static final ProcessId NONE = new ProcessId(0, 0, 0);

    /** Whether a process is alive, as far as this one can know. */
    public enum Life {
        ALIVE,
        DEAD,
        /** The process is in another PID namespace, or hidden. */
        UNKNOWN
    }

    private static final Path PROC = Path.of("/proc");
    private static final boolean LINUX = System.getProperty("os.name", "").equals("Linux");

    /**
     * Fields of /proc/PID/stat after the name, which may itself contain blanks and brackets: state, threads, start.
     */
    private static final int STATE_FIELD = 0;

    private static final int THREADS_FIELD = 17;
    private static final int START_FIELD = 19;

    /** This process. */
    public static ProcessId current() {
        long pid = ProcessHandle.current().pid();
        if (!LINUX) {
            return new ProcessId(pid, startMs(pid), 1);
        }
        String @Nullable [] stat = stat("self");
        return stat == null || stat.length <= START_FIELD
                ? new ProcessId(pid, 0, 0) // /proc is that of a namespace which this process is not in
                : new ProcessId(pid, Long.parseLong(stat[START_FIELD]), currentNamespace());
    }

    private static long currentNamespace() {
        try {
            return ((Number) Files.getAttribute(PROC.resolve("self/ns/pid"), "unix:ino")).longValue();
        } catch (IOException e) {
            return 0;
        }
    }

    /** Whether its pid means a process to this one: whether both are in the same PID namespace. */
    public boolean isNear() {
        return !LINUX || (namespace != 0 && namespace == currentNamespace());
    }

    static long startMs(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().startInstant())
                .map(Instant::toEpochMilli)
                .orElse(-1L);
    }

    public Life life() {
        if (pid <= 0) {
            return Life.DEAD;
        }
        if (!LINUX) {
            return startMs(pid) == start ? Life.ALIVE : Life.DEAD;
        }
        if (!isNear() || !processesVisible()) {
            return Life.UNKNOWN;
        }
        String @Nullable [] stat = stat(Long.toString(pid));
        if (stat == null) {
            return Life.UNKNOWN;
        }
        if (stat.length <= START_FIELD || Long.parseLong(stat[START_FIELD]) != start) {
            return Life.DEAD;
        }
        // a killed process stays a zombie until its parent reaps it, which in a container may never happen
        boolean ended = stat[STATE_FIELD].equals("Z") || stat[STATE_FIELD].equals("X");
        return ended && Long.parseLong(stat[THREADS_FIELD]) <= 1 ? Life.DEAD : Life.ALIVE;
    }

    /** Whether /proc belongs to this namespace, and shows other users' processes. */
    private static boolean processesVisible() {
        try {
            String self = Files.readSymbolicLink(PROC.resolve("self")).toString();
            return self.equals(Long.toString(ProcessHandle.current().pid())) && Files.exists(PROC.resolve("1"));
        } catch (IOException e) {
            return false;
        }
    }

    /** The fields after the name; empty if there is no such process, null if another user's is hidden. */
    private static String @Nullable [] stat(String process) {
        Path file = PROC.resolve(process).resolve("stat");
        try {
            String line = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            return line.substring(line.lastIndexOf(')') + 2).trim().split(" ", -1);
        } catch (NoSuchFileException e) {
            return new String[0];
        } catch (IOException e) {
            String reason = String.valueOf(e.getMessage());
            if (Files.notExists(PROC.resolve(process)) || reason.contains("No such process")) {
                return new String[0]; // it ended between opening and reading
            }
            if (e instanceof AccessDeniedException || reason.contains("Operation not permitted")) {
                return null; // where /proc is mounted with hidepid=1
            }
            throw new StoreIoException("process can't be inspected: file=" + file + ", reason=" + e, e);
        }
    }
}
