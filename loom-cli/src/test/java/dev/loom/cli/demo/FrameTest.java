package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ProtocolException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class FrameTest {
    private static final String SET = "00000012" + "02" + "0000000000000102" + "06" + "757365723a37" + "abcd";

    @Test
    void shouldEncodeAndDecodeAMessage() throws IOException {
        byte[] bytes = HexFormat.of().parseHex(SET);
        Frame frame = Frame.decode(bytes);
        assertEquals(Frame.SET, frame.type);
        assertEquals(0x102, frame.requestId);
        assertEquals("user:7", frame.key);
        assertArrayEquals(new byte[] {(byte) 0xAB, (byte) 0xCD}, frame.value);
        assertArrayEquals(bytes, frame.encode());
        assertEquals(0x12, Frame.bodyLength(bytes));
        assertEquals(0x102, Frame.requestId(bytes));
    }

    @Test
    void shouldReadOneMessageAfterTheOther() throws IOException {
        DataInputStream in = input(SET + SET);
        assertArrayEquals(HexFormat.of().parseHex(SET), Frame.read(in));
        assertArrayEquals(HexFormat.of().parseHex(SET), Frame.read(in));
        assertNull(Frame.read(in));
    }

    @Test
    void shouldEndWhenTheStreamEndsWithinAMessage() throws IOException {
        byte[] whole = HexFormat.of().parseHex(SET);
        for (int length = 0; length < whole.length; length++) {
            assertNull(Frame.read(new DataInputStream(new ByteArrayInputStream(Arrays.copyOf(whole, length)))));
        }
    }

    @Test
    void shouldRefuseAnImpossibleLength() {
        assertThrows(ProtocolException.class, () -> Frame.read(input("00000009")));
        assertThrows(ProtocolException.class, () -> Frame.read(input("ffffffff")));
        assertThrows(ProtocolException.class, () -> Frame.read(input("00008001")));
    }

    @Test
    void shouldRefuseAKeyThatPassesTheEnd() {
        byte[] bytes = HexFormat.of().parseHex("0000000b" + "01" + "0000000000000001" + "02" + "75");
        assertThrows(ProtocolException.class, () -> Frame.decode(bytes));
    }

    private static DataInputStream input(String hex) {
        return new DataInputStream(new ByteArrayInputStream(HexFormat.of().parseHex(hex)));
    }
}
