package dev.loom.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.RecordClaim;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import java.lang.management.ManagementFactory;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.BytesIn;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.bytes.StopCharTesters;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClaimBytesTest {
    private static final int OFFSET = 24;
    private static final int ORDER_LENGTH = 8 + 8 + 4 + 1 + 4;

    private final ClaimBytes claimBytes = new ClaimBytes();
    private final PayloadBytes payloadBytes = new PayloadBytes();

    @Test
    void shouldReadBackInPlaceWhatWasWrittenInPlace() {
        for (int length : new int[] {ORDER_LENGTH, ORDER_LENGTH + 1, 64}) {
            GuardedClaim claim = claim(length);
            MarshalledOrder order = new MarshalledOrder().set(-7, 1.25, 42, "LOOM");
            assertEquals(GuardedClaim.ADDRESS, claimBytes.write(claim, order));
            assertEquals(1, claim.commits);
            assertEquals(0, claim.aborts);
            claim.assertGuardsUntouched();
            MarshalledOrder read = new MarshalledOrder();
            payloadBytes.read(claim.buffer(), OFFSET, length, read);
            assertEquals(order.toString(), read.toString());
            for (int i = ORDER_LENGTH; i < length; i++) {
                assertEquals(0, claim.buffer().getByte(OFFSET + i));
            }
        }
    }

    @Test
    void shouldGiveClaimBackWhenPayloadIsLonger() {
        for (int length = 0; length < ORDER_LENGTH; length++) {
            GuardedClaim claim = claim(length);
            MarshalledOrder order = new MarshalledOrder().set(1, 2, 3, "LOOM");
            assertThrows(BufferOverflowException.class, () -> claimBytes.write(claim, order));
            assertEquals(0, claim.commits);
            assertEquals(1, claim.aborts);
            claim.assertGuardsUntouched();
        }
    }

    @Test
    void shouldNotLeaveClaimByAnyKindOfWrite() {
        UnsafeBuffer source = new UnsafeBuffer(new byte[32]);
        List<WriteBytesMarshallable> writes = List.of(
                out -> out.write(source.byteArray()),
                out -> out.write(source.byteArray(), 3, 17),
                out -> out.write(Bytes.wrapForRead(source.byteArray())),
                out -> out.write("0123456789abcdefg"),
                out -> out.write8bit("0123456789abcdef"),
                out -> out.writeUtf8("0123456789abcdef"),
                out -> out.writeUtf8("é".repeat(8)),
                out -> out.append("0123456789abcdefg"),
                out -> out.append(12345678901234567L),
                out -> out.append(1.2345678901234567e200),
                out -> out.writePosition(9).writeLong(1),
                out -> out.writePosition(13).writeInt(1),
                out -> out.writePosition(16).writeByte((byte) 1),
                out -> out.writePosition(15).writeStopBit(128),
                out -> out.writePosition(17),
                out -> out.writeSkip(17),
                out -> out.writePosition(-1),
                out -> ((Bytes<?>) out).writeLong(9, 1),
                out -> ((Bytes<?>) out).writeLong(-8, 1),
                out -> ((Bytes<?>) out).writeByte(16, (byte) 1),
                out -> ((Bytes<?>) out).write(1, source.byteArray(), 0, 16));
        for (int i = 0; i < writes.size(); i++) {
            WriteBytesMarshallable write = writes.get(i);
            GuardedClaim claim = claim(16);
            assertThrows(RuntimeException.class, () -> claimBytes.write(claim, write), "write " + i);
            assertEquals(1, claim.aborts);
            claim.assertGuardsUntouched();
        }
    }

    @Test
    void shouldKeepRoomOfTheNextClaimWhenItDiffers() {
        claimBytes.write(claim(200), new MarshalledOrder().set(1, 2, 3, "LOOM"));
        GuardedClaim small = claim(8);
        claimBytes.wrap(small).writeLong(5);
        claimBytes.commit();
        small.assertGuardsUntouched();
        GuardedClaim large = claim(128);
        claimBytes.wrap(large).write(new byte[128]);
        claimBytes.commit();
        large.assertGuardsUntouched();
    }

    @Test
    void shouldWriteNothingMoreWhenClaimHasEnded() {
        GuardedClaim claim = claim(16);
        BytesOut<?> out = claimBytes.wrap(claim);
        out.writeLong(1);
        claimBytes.commit();
        assertThrows(BufferOverflowException.class, () -> out.writeByte((byte) 2));
        assertEquals(1, claim.buffer().getByte(OFFSET));
        assertEquals(0, claim.buffer().getByte(OFFSET + 8));
        BytesOut<?> again = claimBytes.wrap(claim);
        claimBytes.abort();
        assertThrows(BufferOverflowException.class, () -> again.writeLong(3));
        assertThrows(IllegalStateException.class, claimBytes::commit);
        assertThrows(IllegalStateException.class, claimBytes::abort);
        assertEquals(1, claim.commits);
        assertEquals(1, claim.aborts);
    }

    @Test
    void shouldNotReadBeyondPayloadByAnyKindOfRead() {
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
        List<Function<Bytes<?>, @Nullable Object>> reads = List.of(
                Bytes::readLong,
                Bytes::readInt,
                Bytes::readDouble,
                Bytes::readUtf8,
                Bytes::read8bit,
                Bytes::readStopBit,
                bytes -> bytes.toString(),
                bytes -> bytes.readSkip(4).readRemaining(),
                bytes -> bytes.readPosition(4).readRemaining(),
                bytes -> bytes.readPosition(3).readByte(),
                bytes -> bytes.readPosition(3).readUnsignedByte(),
                bytes -> bytes.readPosition(3).peekUnsignedByte(),
                bytes -> bytes.readPosition(3).readShort(),
                bytes -> bytes.readLong(0),
                bytes -> bytes.readInt(-1),
                bytes -> bytes.readByte(3),
                bytes -> bytes.parseLong(),
                bytes -> bytes.parseUtf8(StopCharTesters.ALL),
                bytes -> {
                    byte[] array = new byte[4];
                    return bytes.read(array) + Arrays.toString(array);
                });
        for (int i = 0; i < reads.size(); i++) {
            List<String> results = new ArrayList<>();
            for (int around : new int[] {0x00, 0x31, 0xFF}) { // what is around must not show
                buffer.setMemory(0, 256, (byte) around);
                buffer.setMemory(OFFSET, 3, (byte) 0x39); // a digit, and as a text's length far beyond
                Object result;
                try {
                    result = reads.get(i).apply((Bytes<?>) payloadBytes.wrap(buffer, OFFSET, 3));
                } catch (RuntimeException e) {
                    result = e.getClass();
                }
                results.add(String.valueOf(result));
            }
            assertEquals(1, Set.copyOf(results).size(), "read " + i + ": " + results);
        }
    }

    @Test
    void shouldReadNothingMoreWhenViewHasEnded() {
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(256));
        assertThrows(IndexOutOfBoundsException.class, () -> payloadBytes.wrap(buffer, 250, 7));
        BytesIn<?> in = payloadBytes.wrap(buffer, OFFSET, 8);
        assertEquals(8, in.readRemaining());
        payloadBytes.unwrap();
        assertEquals(0, in.readRemaining());
        assertThrows(BufferUnderflowException.class, in::readLong);
    }

    @Test
    void shouldCopyPayloadWhenItIsOnTheHeap() {
        GuardedClaim claim = claim(ORDER_LENGTH);
        claimBytes.write(claim, new MarshalledOrder().set(1, 2, 3, "LOOM"));
        for (int adjustment : new int[] {0, 5}) {
            UnsafeBuffer onHeap = new UnsafeBuffer(new byte[300], adjustment, 200);
            onHeap.putBytes(7, claim.buffer(), OFFSET, ORDER_LENGTH);
            MarshalledOrder read = new MarshalledOrder();
            payloadBytes.read(onHeap, 7, ORDER_LENGTH, read);
            assertEquals("1 2.0 3 LOOM", read.toString());
            byte[] longer = new byte[1000];
            longer[999] = 3;
            assertEquals(
                    3,
                    payloadBytes
                            .wrap(new UnsafeBuffer(longer), 0, 1000)
                            .readSkip(999)
                            .readByte());
            assertThrows(IndexOutOfBoundsException.class, () -> payloadBytes.wrap(onHeap, 199, 2));
        }
    }

    @Test
    void shouldGiveClaimBackWhenItIsOnTheHeap() {
        GuardedClaim claim = new GuardedClaim(new UnsafeBuffer(new byte[64]), 8, 32);
        assertThrows(IllegalArgumentException.class, () -> claimBytes.write(claim, new MarshalledOrder()));
        assertEquals(1, claim.aborts);
    }

    @Test
    void shouldWorkOnAnotherThread() throws InterruptedException {
        claimBytes.write(claim(64), new MarshalledOrder().set(1, 2, 3, "LOOM"));
        List<Object> results = new ArrayList<>();
        Thread thread = new Thread(() -> {
            try {
                results.add(claimBytes.write(claim(64), new MarshalledOrder().set(1, 2, 3, "LOOM")));
            } catch (RuntimeException e) {
                results.add(e);
            }
        });
        thread.start();
        thread.join();
        assertEquals(List.of(GuardedClaim.ADDRESS), results);
    }

    @Test
    void shouldWriteIntoTheLogOfAStore(@TempDir Path directory) {
        try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
            int source = loom.defineSource("orders", Formats.bytes());
            MarshalledOrder order = new MarshalledOrder().set(99, 0.5, 3, "LOOM");
            assertTrue(loom.claim(source, 32) >= 0);
            RecordClaim claim = loom.claimed();
            order.writeMarshallable(claimBytes.wrap(claim));
            MarshalledOrder read = new MarshalledOrder();
            payloadBytes.read(claim.buffer(), claim.offset(), 32, read);
            assertEquals(order.toString(), read.toString());
            assertTrue(claimBytes.commit() >= 0);
        }
    }

    @Test
    void shouldWriteStructsThatTheStructFormatReads() {
        GuardedClaim claim = claim(24);
        claimBytes.write(claim, out -> {
            out.writeByte((byte) 1);
            out.writeLong(-5);
            out.writeStopBit(3);
            out.write("GET".getBytes(StandardCharsets.UTF_8));
        });
        FieldReader op = Formats.parse("struct:n:i64,op:utf8?").field("op");
        assertTrue(op != null);
        FieldValue value = new FieldValue();
        op.read(claim.buffer(), OFFSET, 24, value);
        assertEquals("GET", value.text());
    }

    @Test
    void shouldAgreeWithChronicleOnStopBitLengths() {
        for (int bits = 0; bits < 15; bits++) {
            for (int length : new int[] {(1 << bits) - 1, 1 << bits}) {
                byte[] text = "x".repeat(length).getBytes(StandardCharsets.UTF_8);
                GuardedClaim claim =
                        new GuardedClaim(new UnsafeBuffer(ByteBuffer.allocateDirect(40_000)), OFFSET, text.length + 3);
                claimBytes.write(claim, out -> out.writeStopBit(text.length).write(text));
                FieldReader field = Formats.parse("struct:s:bytes").field("s");
                assertTrue(field != null);
                FieldValue value = new FieldValue();
                field.read(claim.buffer(), OFFSET, claim.length(), value);
                byte[] read = new byte[value.length()];
                value.bytes().getBytes(value.offset(), read);
                assertArrayEquals(text, read);
            }
        }
    }

    @Test
    void shouldAllocateNothing() {
        GuardedClaim claim = claim(64);
        MarshalledOrder order = new MarshalledOrder().set(1, 2, 3, "LOOM");
        MarshalledOrder read = new MarshalledOrder();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 20_000;
        long before = 0;
        for (int i = 0; i < 2 * rounds; i++) {
            if (i == rounds) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            claimBytes.write(claim, order);
            payloadBytes.read(claim.buffer(), OFFSET, 64, read);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < rounds, "allocated bytes: total=" + allocated + ", rounds=" + rounds);
    }

    private static GuardedClaim claim(int length) {
        return new GuardedClaim(new UnsafeBuffer(ByteBuffer.allocateDirect(256)), OFFSET, length);
    }
}
