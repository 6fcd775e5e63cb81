package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FrameReaderTest {
    private static final int FRAMES = 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 14, 100, Integer.MAX_VALUE})
    void shouldFindEveryFrameWhenBytesComeInPiecesOfAnySize(int piece) throws IOException {
        ByteArrayInputStream stream = new ByteArrayInputStream(frames());
        FrameReader reader =
                new FrameReader((into, offset, length) -> stream.read(into, offset, Math.min(piece, length)));
        for (int i = 0; i < FRAMES; i++) {
            assertTrue(reader.next());
            assertEquals(i, reader.frame().requestId());
            assertEquals("key" + i, reader.frame().key());
            assertEquals(i * 10, reader.frame().value().length);
        }
        assertFalse(reader.next());
        assertFalse(reader.next());
    }

    @Test
    void shouldEndWhenTheStreamEndsInTheMiddleOfAFrame() throws IOException {
        byte[] whole = frames();
        int first = ByteBuffer.wrap(whole).getInt() + Integer.BYTES;
        for (int length = 0; length < first; length++) {
            FrameReader reader = new FrameReader(new ByteArrayInputStream(Arrays.copyOf(whole, length))::read);
            assertFalse(reader.next(), "length=" + length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 9, 32 * 1024, Integer.MAX_VALUE})
    void shouldRefuseALengthThatNoFrameHas(int bodyLength) {
        byte[] bytes = ByteBuffer.allocate(100).putInt(bodyLength).array();
        FrameReader reader = new FrameReader(new ByteArrayInputStream(bytes)::read);
        assertThrows(ProtocolException.class, reader::next);
    }

    private static byte[] frames() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        FrameFlyweight frame = new FrameFlyweight().wrap(new byte[1024]);
        for (int i = 0; i < FRAMES; i++) {
            frame.encode(FrameDescriptor.SET, i, FrameFlyweight.ascii("key" + i), new byte[i * 10]);
            bytes.write(frame.bytes(), 0, frame.frameLength());
        }
        return bytes.toByteArray();
    }
}
