package dev.loom.server.prometheus;

import java.io.IOException;

/** An answer that is known, and left to be written. */
@FunctionalInterface
interface PreparedAnswer {
    void write(AnswerWriter writer) throws IOException;
}
