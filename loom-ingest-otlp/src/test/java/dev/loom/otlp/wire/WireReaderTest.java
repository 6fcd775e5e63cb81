package dev.loom.otlp.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Compares with protobuf-java's reader of messages that it has no definition of. */
class WireReaderTest {
    private final WireReader reader = new WireReader();

    @Test
    void shouldGiveEachFieldWithItsPlaceAndValue() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        out.writeInt64(1, -2);
        out.writeFixed64(2, 0x0123456789ABCDEFL);
        out.writeFixed32(1000, 0xFFFFFFFE);
        out.writeString(4, "loom");
        out.writeSInt32(5, -3);
        out.writeDouble(6, 1.5);
        out.flush();
        UnsafeBuffer buffer = wrap(bytes.toByteArray());

        next(1, WireType.VARINT);
        assertEquals(-2, reader.value());
        assertEquals(7, reader.fieldOffset());
        assertEquals(8, reader.offset());
        next(2, WireType.FIXED64);
        assertEquals(0x0123456789ABCDEFL, reader.value());
        next(1000, WireType.FIXED32);
        assertEquals(0xFFFFFFFEL, reader.value());
        next(4, WireType.LENGTH);
        assertEquals("loom", buffer.getStringWithoutLengthUtf8(reader.offset(), reader.length()));
        assertEquals(reader.fieldOffset() + 6, reader.fieldEnd());
        next(5, WireType.VARINT);
        assertEquals(5, reader.value()); // -3 as zigzag
        next(6, WireType.FIXED64);
        assertEquals(1.5, reader.doubleValue());
        assertFalse(reader.next());
        assertNull(reader.failure());
    }

    @Test
    void shouldGoIntoMessagesAndBehindThemFromAnywhere() {
        ByteString inner =
                UnknownFieldSet.newBuilder().addField(1, varints(7, 8)).build().toByteString();
        wrap(UnknownFieldSet.newBuilder()
                .addField(
                        3,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(inner)
                                .build())
                .addField(4, varints(9))
                .build()
                .toByteArray());

        next(3, WireType.LENGTH);
        int end = reader.enter();
        next(1, WireType.VARINT);
        assertEquals(7, reader.value());
        reader.leave(end);
        next(4, WireType.VARINT);
        assertEquals(9, reader.value());
        assertFalse(reader.next());
        assertNull(reader.failure());
    }

    @Test
    void shouldSkipGroupsAsOneField() {
        UnknownFieldSet group = UnknownFieldSet.newBuilder()
                .addField(2, varints(5))
                .addField(
                        3,
                        UnknownFieldSet.Field.newBuilder()
                                .addGroup(UnknownFieldSet.getDefaultInstance())
                                .build())
                .build();
        byte[] message = UnknownFieldSet.newBuilder()
                .addField(1, UnknownFieldSet.Field.newBuilder().addGroup(group).build())
                .addField(9, varints(1))
                .build()
                .toByteArray();
        wrap(message);
        next(1, WireType.START_GROUP);
        assertEquals(7, reader.fieldOffset());
        assertEquals(7 + 6, reader.fieldEnd());
        next(9, WireType.VARINT);
        assertFalse(reader.next());
        assertNull(reader.failure());
    }

    @Test
    void shouldNameEachFailureAndItsOffset() {
        refused(WireFailure.TRUNCATED, 0, "08");
        refused(WireFailure.TRUNCATED, 2, "0801 11 01020304050607");
        refused(WireFailure.TRUNCATED, 2, "0801 0D 010203");
        refused(WireFailure.TRUNCATED, 2, "0801 0A 02 01");
        refused(WireFailure.TRUNCATED, 0, "80");
        refused(WireFailure.TRUNCATED, 0, "0B 08 01");
        refused(WireFailure.VARINT_TOO_LONG, 0, "08 FFFFFFFFFFFFFFFFFFFF01");
        refused(WireFailure.INVALID_TAG, 0, "00");
        refused(WireFailure.INVALID_TAG, 2, "0801 02 00");
        refused(WireFailure.INVALID_WIRE_TYPE, 0, "0E 00");
        refused(WireFailure.INVALID_WIRE_TYPE, 0, "0F 00");
        refused(WireFailure.NEGATIVE_LENGTH, 0, "0A FFFFFFFF0F");
        refused(WireFailure.UNMATCHED_END_GROUP, 0, "0C");
        refused(WireFailure.UNMATCHED_END_GROUP, 1, "0B 14");
    }

    @Test
    void shouldStayFailedUntilWrappedAgain() {
        wrap(HexFormat.of().parseHex("0A020E00" + "0801"));
        next(1, WireType.LENGTH);
        int end = reader.enter();
        assertFalse(reader.next());
        reader.leave(end);
        assertFalse(reader.next());
        assertEquals(WireFailure.INVALID_WIRE_TYPE, reader.failure());
        assertEquals(7 + 2, reader.failureOffset());
        wrap(new byte[] {8, 1});
        next(1, WireType.VARINT);
        assertNull(reader.failure());
    }

    @Test
    void shouldEnterAHundredMessagesAndNoMore() {
        byte[] message = {};
        for (int i = 0; i < WireReader.DEPTH_MAX + 1; i++) {
            message = UnknownFieldSet.newBuilder()
                    .addField(
                            1,
                            UnknownFieldSet.Field.newBuilder()
                                    .addLengthDelimited(ByteString.copyFrom(message))
                                    .build())
                    .build()
                    .toByteArray();
        }
        wrap(message);
        for (int i = 0; i < WireReader.DEPTH_MAX; i++) {
            assertTrue(reader.next());
            reader.enter();
            assertNull(reader.failure());
        }
        assertTrue(reader.next());
        reader.enter();
        assertFalse(reader.next());
        assertEquals(WireFailure.TOO_DEEP, reader.failure());
    }

    @Test
    void shouldTakeWhatProtobufTakes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("WireReaderTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        int taken = 0;
        int rounds = Integer.getInteger("loom.otlp.rounds", 100_000);
        for (int i = 0; i < rounds; i++) {
            byte[] message = mutate(random, random(random, 0).toByteArray(), random.nextInt(4));
            UnknownFieldSet expected = protobuf(message);
            UnknownFieldSet actual = loom(message);
            assertEquals(
                    expected,
                    actual,
                    () -> "seed=" + seed + ", message=" + HexFormat.of().formatHex(message));
            taken += expected == null ? 0 : 1;
        }
        assertTrue(taken > rounds / 10 && taken < rounds * 9 / 10, "taken=" + taken);
    }

    @Test
    void shouldFindFieldsOfATagAsOneWhoLooksAtEach() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("WireReaderTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        int rounds = Integer.getInteger("loom.otlp.rounds", 100_000);
        int found = 0;
        for (int i = 0; i < rounds; i++) {
            byte[] message = random.nextInt(20) == 0
                    ? new byte[] {(byte) random.nextInt(), (byte) random.nextInt()}
                    : mutate(random, random(random, 0).toByteArray(), random.nextInt(3));
            wrap(message);
            int wanted = ((1 + random.nextInt(5)) << 3) | random.nextInt(6);
            for (int fields = random.nextInt(6); fields > 0 && reader.next(); fields--) {
                wanted = reader.tag();
            }
            List<Object> expected = fields(message, wanted, reader::next);
            int tag = wanted;
            assertEquals(
                    expected,
                    fields(message, wanted, () -> reader.nextOf(tag)),
                    () -> "seed=" + seed + ", tag=" + tag + ", message="
                            + HexFormat.of().formatHex(message));
            found += expected.size() > 1 ? 1 : 0;
        }
        assertTrue(found > rounds / 10, "found=" + found);
    }

    /** Values and offsets of the fields of one tag, then what ended them. */
    private List<Object> fields(byte[] message, int tag, BooleanSupplier next) {
        wrap(message);
        List<Object> fields = new ArrayList<>();
        while (next.getAsBoolean()) {
            if (reader.tag() == tag) {
                fields.add(reader.value());
                fields.add(reader.offset());
                fields.add(reader.fieldEnd());
            }
        }
        WireFailure failure = reader.failure();
        fields.add(failure == null ? "end" : failure + " at " + reader.failureOffset());
        return fields;
    }

    @Test
    void shouldNestGroupsAsDeepAsProtobuf() {
        for (int depth : new int[] {1, 99, 100, 101, 5000}) {
            byte[] message = new byte[2 * depth];
            Arrays.fill(message, 0, depth, (byte) 0x0B);
            Arrays.fill(message, depth, message.length, (byte) 0x0C);
            assertEquals(protobuf(message) == null, loom(message) == null, "depth=" + depth);
        }
    }

    /** What our reader sees, as protobuf's objects; null for a failure. */
    private UnknownFieldSet loom(byte[] message) {
        UnsafeBuffer buffer = wrap(message);
        UnknownFieldSet.Builder set = UnknownFieldSet.newBuilder();
        while (reader.next()) {
            UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
            switch (reader.wireType()) {
                case WireType.VARINT -> field.addVarint(reader.value());
                case WireType.FIXED64 -> field.addFixed64(reader.value());
                case WireType.FIXED32 -> field.addFixed32((int) reader.value());
                case WireType.LENGTH ->
                    field.addLengthDelimited(ByteString.copyFrom(bytes(buffer, reader.offset(), reader.length())));
                default -> {
                    assertEquals(WireType.START_GROUP, reader.wireType());
                    byte[] group = bytes(buffer, reader.fieldOffset(), reader.fieldEnd() - reader.fieldOffset());
                    field.addGroup(protobuf(group)
                            .getField(reader.number())
                            .getGroupList()
                            .get(0));
                }
            }
            set.mergeField(reader.number(), field.build());
        }
        if (reader.failure() != null) {
            assertTrue(reader.failureOffset() >= 7 && reader.failureOffset() <= 7 + message.length);
            return null;
        }
        return set.build();
    }

    private static byte[] bytes(UnsafeBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    /**
     * Through a stream, in buffers too short for a longest varint: the path for arrays takes half of the varints
     * whose tenth byte announces another.
     */
    private static UnknownFieldSet protobuf(byte[] message) {
        CodedInputStream in = CodedInputStream.newInstance(new ByteArrayInputStream(message), 9);
        try {
            UnknownFieldSet set = UnknownFieldSet.newBuilder().mergeFrom(in).build();
            in.checkLastTagWas(0);
            return set;
        } catch (InvalidProtocolBufferException e) {
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static UnknownFieldSet random(Random random, int depth) {
        UnknownFieldSet.Builder set = UnknownFieldSet.newBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
            switch (random.nextInt(depth < 3 ? 5 : 4)) {
                case 0 -> field.addVarint(random.nextLong() >>> random.nextInt(64));
                case 1 -> field.addFixed64(random.nextLong());
                case 2 -> field.addFixed32(random.nextInt());
                case 3 -> field.addLengthDelimited(ByteString.copyFrom(new byte[random.nextInt(5)]));
                default -> field.addGroup(random(random, depth + 1));
            }
            set.mergeField(1 + random.nextInt(1 << random.nextInt(29)), field.build());
        }
        return set.build();
    }

    private static byte[] mutate(Random random, byte[] message, int times) {
        byte[] mutated = message;
        for (int i = 0; i < times && mutated.length > 0; i++) {
            mutated = mutate(random, mutated);
        }
        return mutated;
    }

    private static byte[] mutate(Random random, byte[] message) {
        int at = random.nextInt(message.length);
        switch (random.nextInt(4)) {
            case 0 -> message[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> message[at] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt());
            case 2 -> {
                return Arrays.copyOf(message, at);
            }
            default -> {
                int filled = Math.min(message.length, at + random.nextInt(12));
                Arrays.fill(message, at, filled, (byte) (0x80 | random.nextInt()));
            }
        }
        return message;
    }

    private UnsafeBuffer wrap(byte[] message) {
        byte[] padded = new byte[message.length + 20];
        Arrays.fill(padded, (byte) 1); // what lies around would do as fields
        System.arraycopy(message, 0, padded, 7, message.length);
        UnsafeBuffer buffer = new UnsafeBuffer(padded);
        reader.wrap(buffer, 7, message.length);
        return buffer;
    }

    private void next(int number, int wireType) {
        assertTrue(reader.next(), () -> "failure=" + reader.failure());
        assertEquals(number, reader.number());
        assertEquals(wireType, reader.wireType());
        assertEquals(number << 3 | wireType, reader.tag());
    }

    private void refused(WireFailure failure, int offset, String hex) {
        wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
        while (reader.next()) {
            assertNotNull(reader.buffer());
        }
        assertEquals(failure, reader.failure(), hex);
        assertEquals(7 + offset, reader.failureOffset(), hex);
    }

    private static UnknownFieldSet.Field varints(long... values) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        for (long value : values) {
            field.addVarint(value);
        }
        return field.build();
    }
}
