package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class FrameDescriptorTest {
    @Test
    void shouldLieAsInThePicture() {
        assertEquals(0, FrameDescriptor.LENGTH_OFFSET);
        assertEquals(4, FrameDescriptor.TYPE_OFFSET);
        assertEquals(5, FrameDescriptor.REQUEST_ID_OFFSET);
        assertEquals(13, FrameDescriptor.KEY_LENGTH_OFFSET);
        assertEquals(14, FrameDescriptor.KEY_OFFSET);
        assertEquals(17, FrameDescriptor.valueOffset(3));
        assertEquals(4, FrameDescriptor.PREFIX_LENGTH);
    }

    @Test
    void shouldWriteTheBytesOfTheFormat() throws ProtocolException {
        byte[] array = new byte[64];
        FrameFlyweight frame = new FrameFlyweight()
                .wrap(array)
                .encode(FrameDescriptor.SET, 0x0102030405060708L, new byte[] {'k', '1'}, new byte[] {'v', 'w', 'x'});

        String expected = "0000000f" + "02" + "0102030405060708" + "02" + "6b31" + "767778";
        assertEquals(expected, HexFormat.of().formatHex(Arrays.copyOf(array, frame.frameLength())));
        assertEquals(15, frame.bodyLength());
        assertEquals(0x0102030405060708L, frame.requestId());
        assertEquals("k1", frame.key());
        assertArrayEquals(new byte[] {'v', 'w', 'x'}, frame.value());
    }

    @Test
    void shouldRefuseAKeyThatPassesTheEndOfItsFrame() {
        byte[] array = ByteBuffer.allocate(64)
                .putInt(12)
                .put(FrameDescriptor.GET)
                .putLong(7)
                .put((byte) 3)
                .array();
        FrameFlyweight frame = new FrameFlyweight().wrap(array);
        assertThrows(ProtocolException.class, frame::key);
        assertThrows(ProtocolException.class, frame::value);
    }
}
