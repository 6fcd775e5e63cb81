package dev.loom.otlp.ingest;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import dev.loom.otlp.wire.WireType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A request as a tree of its fields, which is written with some of them damaged. The lengths of all messages around a
 * damaged field are right, so that a reader comes upon the damage wherever it is.
 */
final class HostileRequest {
    /** A field; a message has parts, all others a value, as it is behind the tag or length. */
    private static final class Field {
        final int tag;
        final byte @Nullable [] value;
        final List<Field> parts;

        Field(int tag, byte @Nullable [] value, List<Field> parts) {
            this.tag = tag;
            this.value = value;
            this.parts = parts;
        }
    }

    private static final byte[][] TEXTS = {
        {(byte) 0x80},
        {(byte) 0xC0, (byte) 0x80}, // overlong
        {(byte) 0xE0, (byte) 0x9F, (byte) 0xBF},
        {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, // half of a surrogate pair
        {(byte) 0xED, (byte) 0x9F, (byte) 0xBF},
        {(byte) 0xF0, (byte) 0x9F, (byte) 0x98}, // cut
        {(byte) 0xF0, (byte) 0x9F, (byte) 0x98, (byte) 0x80},
        {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, // beyond the last
        {(byte) 0xF8, (byte) 0x88, (byte) 0x80, (byte) 0x80, (byte) 0x80},
        {0, 'a', 0x1B, '[', (byte) 0xC2, (byte) 0x9B}
    };
    private static final long[] NUMBERS = {
        0, 1, 2, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, 1L << 31, 1L << 32, Long.MAX_VALUE, -1, Long.MIN_VALUE
    };
    /** Messages nest 100 deep at most; a damaged field lies up to some 15 deep already. */
    private static final int[] DEPTHS = {1, 2, 40, 80, 90, 95, 99, 100, 101, 400};

    private final Random random;
    private final List<Field> fields;
    private final List<Field> all = new ArrayList<>();

    HostileRequest(Random random, Descriptor type, byte[] request) throws IOException {
        this.random = random;
        fields = parse(CodedInputStream.newInstance(request), type);
    }

    private List<Field> parse(CodedInputStream in, Descriptor type) throws IOException {
        List<Field> parsed = new ArrayList<>();
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            FieldDescriptor known = type.findFieldByNumber(tag >>> WireType.BITS);
            boolean message = known != null && known.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
            Field field;
            if ((tag & WireType.MASK) == WireType.LENGTH) {
                byte[] value = in.readByteArray();
                field = message
                        ? new Field(tag, null, parse(CodedInputStream.newInstance(value), known.getMessageType()))
                        : new Field(tag, value, List.of());
            } else {
                field = new Field(tag, scalar(in, tag), List.of());
            }
            parsed.add(field);
            all.add(field);
        }
        return parsed;
    }

    private static byte[] scalar(CodedInputStream in, int tag) throws IOException {
        WireBytes value = new WireBytes();
        switch (tag & WireType.MASK) {
            case WireType.VARINT -> value.varint(in.readRawVarint64());
            case WireType.FIXED64 -> value.fixed(in.readRawLittleEndian64(), Long.BYTES);
            case WireType.FIXED32 -> value.fixed(in.readRawLittleEndian32(), Integer.BYTES);
            default -> {
                in.skipField(tag);
                value.varint(tag + 1L); // an empty group
            }
        }
        return value.toByteArray();
    }

    /** The bytes, with {@code damages} fields damaged; fields of {@code others} may take the places of some. */
    byte[] write(int damages, HostileRequest others) {
        int[] damaged = new int[damages];
        for (int i = 0; i < damages; i++) {
            damaged[i] = random.nextInt(Math.max(1, all.size()));
        }
        return new Writing(damaged, others).message(fields).toByteArray();
    }

    /** One pass over the tree. */
    private final class Writing {
        private final int[] damaged;
        private final HostileRequest others;
        private int at;

        Writing(int[] damaged, HostileRequest others) {
            this.damaged = damaged;
            this.others = others;
        }

        WireBytes message(List<Field> parts) {
            WireBytes bytes = new WireBytes();
            for (Field part : parts) {
                int number = at++;
                boolean whole = true;
                for (int each : damaged) {
                    whole &= each != number;
                }
                byte[] value = value(part);
                if (whole) {
                    bytes.field(part.tag, value);
                } else {
                    damage(part, value, bytes);
                }
            }
            return bytes;
        }

        private byte[] value(Field field) {
            return field.value != null ? field.value : message(field.parts).toByteArray();
        }

        private void damage(Field field, byte[] value, WireBytes bytes) {
            int tag = field.tag;
            switch (random.nextInt(14)) {
                case 0 -> {} // missing
                case 1 -> {
                    for (int i = 2 + random.nextInt(2); i > 0; i--) {
                        bytes.field(tag, value);
                    }
                }
                case 2 -> {
                    Field other = others.any();
                    bytes.field(other.tag, others.plain(other));
                }
                case 3 -> bytes.field(tag(number(), tag & WireType.MASK), value);
                case 4 -> bytes.field(tag(tag >>> WireType.BITS, random.nextInt(8)), value);
                case 5 -> bytes.longField(tag, value, random);
                case 6 -> {
                    bytes.varint(tag);
                    bytes.varint(length(value.length));
                    bytes.writeBytes(value);
                }
                case 7 -> bytes.groups(number(), DEPTHS[random.nextInt(DEPTHS.length)], encoded(tag, value), random);
                case 8 -> bytes.field(tag, nested(value));
                case 9 -> bytes.field(tag(tag >>> WireType.BITS, WireType.LENGTH), TEXTS[random.nextInt(TEXTS.length)]);
                case 10 -> {
                    bytes.field(tag(number(), random.nextInt(8)), value);
                    bytes.field(tag, value);
                }
                case 11 ->
                    bytes.field(
                            tag(tag >>> WireType.BITS, WireType.VARINT),
                            varint(NUMBERS[random.nextInt(NUMBERS.length)]));
                case 12 -> bytes.field(tag, Arrays.copyOf(value, random.nextInt(value.length + 1)));
                default -> bytes.field(tag, spliced(value));
            }
        }

        /** A value in lists within lists, as those of attributes may be: {@code AnyValue{array_value{values}}}. */
        private byte[] nested(byte[] value) {
            byte[] nested = value;
            for (int i = DEPTHS[random.nextInt(DEPTHS.length)] / 2; i > 0; i--) {
                nested = encoded(tag(5, WireType.LENGTH), encoded(tag(1, WireType.LENGTH), nested));
            }
            return nested;
        }

        private byte[] spliced(byte[] value) {
            WireBytes bytes = new WireBytes();
            int middle = random.nextInt(value.length + 1);
            bytes.write(value, 0, middle);
            bytes.writeBytes(TEXTS[random.nextInt(TEXTS.length)]);
            bytes.write(value, middle, value.length - middle);
            return bytes.toByteArray();
        }
    }

    private Field any() {
        return all.get(random.nextInt(all.size()));
    }

    private byte[] plain(Field field) {
        return new Writing(new int[0], this).value(field);
    }

    private int number() {
        return random.nextInt(4) > 0 ? random.nextInt(18) : random.nextInt(1 << 29);
    }

    private long length(int right) {
        return switch (random.nextInt(3)) {
            case 0 -> right + random.nextInt(9) - 4L;
            case 1 -> right * 2L;
            default -> NUMBERS[random.nextInt(NUMBERS.length)];
        };
    }

    private static int tag(int number, int wireType) {
        return (number << WireType.BITS) | wireType;
    }

    private static byte[] encoded(int tag, byte[] value) {
        WireBytes bytes = new WireBytes();
        bytes.field(tag, value);
        return bytes.toByteArray();
    }

    private static byte[] varint(long value) {
        WireBytes bytes = new WireBytes();
        bytes.varint(value);
        return bytes.toByteArray();
    }

    /** The wire's encoding, right or not. */
    private static final class WireBytes extends ByteArrayOutputStream {
        void field(int tag, byte[] value) {
            varint(Integer.toUnsignedLong(tag));
            if ((tag & WireType.MASK) == WireType.LENGTH) {
                varint(value.length);
            }
            writeBytes(value);
        }

        /** With a tag and a length that are longer than need be, or say more in the bits that are cut. */
        void longField(int tag, byte[] value, Random random) {
            longVarint(tag, random);
            if ((tag & WireType.MASK) == WireType.LENGTH) {
                longVarint(value.length, random);
            }
            writeBytes(value);
        }

        void groups(int number, int depth, byte[] content, Random random) {
            for (int i = 0; i < depth; i++) {
                varint(Integer.toUnsignedLong(tag(number, WireType.START_GROUP)));
            }
            writeBytes(content);
            int ends = depth + (random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0);
            for (int i = 0; i < ends; i++) {
                int end = random.nextInt(2_000) == 0 ? number + 1 : number;
                varint(Integer.toUnsignedLong(tag(end, WireType.END_GROUP)));
            }
        }

        void varint(long value) {
            long rest = value;
            for (; rest >>> 7 != 0; rest >>>= 7) {
                write((int) rest | 0x80);
            }
            write((int) rest);
        }

        private void longVarint(int value, Random random) {
            long more = random.nextInt(3) == 0 ? random.nextLong() << 32 : 0;
            long rest = Integer.toUnsignedLong(value) | more;
            int length = 1 + random.nextInt(11);
            for (int i = 1; i < length || rest >>> 7 != 0; i++) {
                write((int) rest | 0x80);
                rest >>>= 7;
            }
            write((int) rest);
        }

        void fixed(long value, int length) {
            for (int i = 0; i < length; i++) {
                write((int) (value >>> (8 * i)));
            }
        }
    }
}
