package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

/** Rows and the empty lines between them, which come from two threads. */
final class AnswerStreamTest {
    private static final int ROWS = 200_000;
    private static final long LONG_NS = Long.MAX_VALUE / 4;

    private final AtomicInteger writes = new AtomicInteger();
    private final AtomicInteger collisions = new AtomicInteger();
    private final AtomicBoolean writing = new AtomicBoolean();

    /** Takes one write at a time, as a connection does. */
    private final class Sink implements Content.Sink {
        @Override
        public void write(boolean last, ByteBuffer bytes, Callback callback) {
            writes.incrementAndGet();
            if (!writing.compareAndSet(false, true)) {
                collisions.incrementAndGet();
            }
            Thread.onSpinWait();
            writing.set(false);
            callback.succeeded();
        }
    }

    private AnswerStream stream() {
        return new AnswerStream(new Sink(), LONG_NS, LONG_NS, cause -> {});
    }

    @Test
    void shouldWriteOneAtATime() throws Exception {
        AnswerStream stream = stream();
        Thread silence = new Thread(() -> {
            while (stream.keepAlive()) {
                Thread.onSpinWait();
            }
        });
        silence.start();
        for (int i = 0; i < ROWS && collisions.get() == 0; i++) {
            stream.write('a');
        }
        stream.close();
        silence.join();
        assertEquals(0, collisions.get());
    }

    @Test
    void shouldWriteNothingOnceItsFailureIsToldByTheStatus() {
        AnswerStream stream = stream();
        assertTrue(stream.endUnlessBegun());
        assertFalse(stream.keepAlive());
        assertEquals(0, writes.get());
    }

    @Test
    void shouldGoOnIfAnEmptyLineWasSentBefore() throws IOException {
        AnswerStream stream = stream();
        assertTrue(stream.keepAlive());
        assertFalse(stream.endUnlessBegun());
        assertTrue(stream.keepAlive());
        stream.close();
        assertFalse(stream.keepAlive());
        assertEquals(3, writes.get());
    }
}
