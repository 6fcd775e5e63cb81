package dev.loom.otlp.ingest;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Messages of chance, and ways to encode them that a plain writer does not choose but protobuf allows. */
public final class RandomMessages {
    private static final int DEPTH_MAX = 12;
    private static final String[] TEXTS = {"", "a", "service.name", "Ünïcødé", "日本", "🧵", "x".repeat(130)};
    private static final long[] NUMBERS = {0, 1, -1, 127, 128, 300, Integer.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE};

    private final Random random;
    private final boolean wellFormed;

    /** @param wellFormed whether to leave out unknown fields, and ids of wrong lengths */
    public RandomMessages(Random random, boolean wellFormed) {
        this.random = random;
        this.wellFormed = wellFormed;
    }

    /** A message of this type with some of its fields. */
    public Message message(Message type) {
        return message(type, 0);
    }

    private Message message(Message type, int depth) {
        Message.Builder builder = type.newBuilderForType();
        List<FieldDescriptor> fields =
                new ArrayList<>(type.getDescriptorForType().getFields());
        Collections.shuffle(fields, random); // so that each of a oneof may be set
        for (FieldDescriptor field : fields) {
            boolean leaf = field.getJavaType() != FieldDescriptor.JavaType.MESSAGE;
            OneofDescriptor oneof = field.getRealContainingOneof();
            boolean other = oneof != null && builder.hasOneof(oneof);
            if (other || (!leaf && depth >= DEPTH_MAX) || random.nextInt(10) < (leaf ? 2 : depth < 5 ? 1 : 6)) {
                continue;
            }
            for (int i = field.isRepeated() ? (depth < 5 ? 1 : 0) + random.nextInt(3) : 1; i > 0; i--) {
                Object value = leaf
                        ? leaf(field)
                        : message(builder.newBuilderForField(field).build(), depth + 1);
                if (field.isRepeated()) {
                    builder.addRepeatedField(field, value);
                } else {
                    builder.setField(field, value);
                }
            }
        }
        if (!wellFormed && random.nextInt(12) == 0) {
            builder.setUnknownFields(unknown(type));
        }
        return builder.build();
    }

    /** Fields that the type does not have, and known ones of another wire type. */
    private UnknownFieldSet unknown(Message type) {
        UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
        int number = 1 + random.nextInt(20);
        switch (random.nextInt(3)) {
            case 0 -> field.addFixed32(random.nextInt());
            case 1 ->
                field.addGroup(UnknownFieldSet.newBuilder()
                        .addField(
                                number,
                                UnknownFieldSet.Field.newBuilder().addVarint(5).build())
                        .build());
            default -> {
                field.addLengthDelimited(ByteString.copyFrom(new byte[] {-1, -2}));
                number += 100;
            }
        }
        FieldDescriptor known = type.getDescriptorForType().findFieldByNumber(number);
        boolean same = known != null && known.getLiteType().getWireType() == 5;
        return same
                ? UnknownFieldSet.getDefaultInstance()
                : UnknownFieldSet.newBuilder().addField(number, field.build()).build();
    }

    private Object leaf(FieldDescriptor field) {
        long number = random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextLong();
        return switch (field.getJavaType()) {
            case INT -> (int) number;
            case LONG -> number;
            case FLOAT -> (float) number;
            case DOUBLE -> Double.longBitsToDouble(number);
            case BOOLEAN -> random.nextBoolean();
            case STRING -> TEXTS[random.nextInt(TEXTS.length)];
            case BYTE_STRING -> id(field.getName());
            case ENUM -> field.getEnumType().findValueByNumberCreatingIfUnknown(random.nextInt(30));
            case MESSAGE -> throw new IllegalArgumentException(field.getFullName());
        };
    }

    private ByteString id(String name) {
        int length = name.equals("trace_id") ? 16 : name.endsWith("span_id") ? 8 : random.nextInt(40);
        byte[] id = new byte[!wellFormed && random.nextInt(12) == 0 ? random.nextInt(20) : length];
        if (random.nextInt(12) > 0) {
            random.nextBytes(id);
        }
        return ByteString.copyFrom(id);
    }

    /**
     * The message in an encoding that may have its fields in any order, single messages in several parts or beside others of a
     * oneof, packed numbers in parts, and varints longer than need be.
     */
    byte[] encode(Message message) {
        try {
            List<byte[]> fields = new ArrayList<>();
            for (Map.Entry<FieldDescriptor, Object> entry :
                    message.getAllFields().entrySet()) {
                FieldDescriptor field = entry.getKey();
                if (field.isPacked()) {
                    encodePacked(field, (List<?>) entry.getValue(), fields);
                } else if (field.isRepeated()) {
                    for (Object value : (List<?>) entry.getValue()) {
                        fields.add(encode(field, value));
                    }
                } else {
                    if (random.nextInt(12) == 0) {
                        fields.add(encode(field, other(message, field)));
                    }
                    fields.add(encode(field, entry.getValue()));
                }
            }
            fields.add(message.getUnknownFields().toByteArray());
            if (random.nextInt(3) == 0) {
                Collections.shuffle(fields, random);
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] field : fields) {
                all.write(field);
            }
            return all.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Object other(Message message, FieldDescriptor field) {
        return field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                ? message(message.toBuilder().newBuilderForField(field).build(), DEPTH_MAX - 3)
                : leaf(field);
    }

    private byte[] encode(FieldDescriptor field, Object value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        int number = field.getNumber();
        if (value instanceof Message inner) {
            byte[] content = encode(inner);
            out.writeTag(number, 2);
            out.flush();
            if (random.nextInt(20) == 0) {
                bytes.write((content.length & 0x7F) | 0x80);
                bytes.write((content.length >>> 7 & 0x7F) | 0x80);
                bytes.write((content.length >>> 14 & 0x7F) | 0x80);
                bytes.write(0);
            } else {
                out.writeUInt32NoTag(content.length);
                out.flush();
            }
            bytes.write(content);
            return bytes.toByteArray();
        }
        switch (field.getType()) {
            case STRING -> out.writeString(number, (String) value);
            case BYTES -> out.writeBytes(number, (ByteString) value);
            case DOUBLE -> out.writeDouble(number, (Double) value);
            case FIXED64, SFIXED64 -> out.writeFixed64(number, (Long) value);
            case FIXED32 -> out.writeFixed32(number, (Integer) value);
            case INT32 -> out.writeInt32(number, (Integer) value);
            case UINT32 -> out.writeUInt32(number, (Integer) value);
            case SINT32 -> out.writeSInt32(number, (Integer) value);
            case INT64, UINT64 -> out.writeInt64(number, (Long) value);
            case BOOL -> out.writeBool(number, (Boolean) value);
            case ENUM ->
                out.writeEnum(number, ((com.google.protobuf.Descriptors.EnumValueDescriptor) value).getNumber());
            default -> throw new IllegalArgumentException(field.getFullName());
        }
        out.flush();
        return bytes.toByteArray();
    }

    private void encodePacked(FieldDescriptor field, List<?> values, List<byte[]> fields) throws IOException {
        int split = random.nextInt(4) == 0 ? random.nextInt(values.size() + 1) : 0;
        for (Object value : values.subList(0, split)) {
            fields.add(encode(field, value)); // each with a tag of its own
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        for (Object value : values.subList(split, values.size())) {
            switch (field.getType()) {
                case DOUBLE -> out.writeDoubleNoTag((Double) value);
                case FIXED64 -> out.writeFixed64NoTag((Long) value);
                default -> out.writeUInt64NoTag((Long) value);
            }
        }
        out.flush();
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        CodedOutputStream tagged = CodedOutputStream.newInstance(whole);
        tagged.writeBytes(field.getNumber(), ByteString.copyFrom(bytes.toByteArray()));
        tagged.flush();
        fields.add(whole.toByteArray());
    }

    /** Damages bytes in one of several ways: bits flipped, cut, filled, spliced. */
    public byte[] mutate(byte[] bytes) {
        if (bytes.length == 0) {
            return bytes;
        }
        byte[] mutated = bytes.clone();
        int at = random.nextInt(mutated.length);
        switch (random.nextInt(5)) {
            case 0 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> mutated[at] = (byte) random.nextInt();
            case 2 -> mutated = Arrays.copyOf(mutated, at);
            case 3 ->
                Arrays.fill(mutated, at, Math.min(mutated.length, at + random.nextInt(12)), (byte) random.nextInt());
            default -> {
                int from = random.nextInt(mutated.length);
                int length = random.nextInt(1 + Math.min(40, mutated.length - Math.max(at, from)));
                System.arraycopy(bytes, from, mutated, at, length);
            }
        }
        return mutated;
    }
}
