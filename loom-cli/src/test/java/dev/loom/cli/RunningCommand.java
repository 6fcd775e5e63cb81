package dev.loom.cli;

import java.io.IOException;
import java.io.OutputStream;

/** A command that goes on while the test does, in this process or another. */
public interface RunningCommand extends AutoCloseable {
    /** Standard input of the command. */
    OutputStream in();

    /** Waits for the end of the command. */
    int exitCode() throws InterruptedException;

    @Override
    void close() throws IOException;
}
