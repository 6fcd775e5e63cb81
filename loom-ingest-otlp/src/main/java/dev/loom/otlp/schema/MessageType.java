package dev.loom.otlp.schema;

import dev.loom.otlp.wire.WireType;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message: its fields by number and by JSON name. */
public final class MessageType {
    /** Field numbers are 1 to 16. */
    private static final int NUMBERS = 17;

    private final String name;
    private final Map<String, MessageField> byName = new LinkedHashMap<>();
    private final LengthRule[] rules = new LengthRule[NUMBERS];
    private final @Nullable MessageType[] messages = new @Nullable MessageType[NUMBERS];
    private long repeatedNumbers;
    private long oneOfNumbers;
    private int profilesTag;

    MessageType(String name) {
        this.name = name;
        Arrays.fill(rules, LengthRule.NONE);
    }

    /** Its name in the proto file. */
    public String name() {
        return name;
    }

    /** Its fields, in the order of the proto file. */
    public Collection<MessageField> fields() {
        return byName.values();
    }

    /** The field with this name; null if there is none. */
    public @Nullable MessageField field(String jsonName) {
        return byName.get(jsonName);
    }

    /** What the bytes of a {@link WireType#LENGTH} field of this number must be. */
    public LengthRule rule(int number) {
        return number < NUMBERS ? rules[number] : LengthRule.NONE;
    }

    /** The message in the field with this number, whose rule must be {@link LengthRule#MESSAGE}. */
    public MessageType message(int number) {
        MessageType message = messages[number];
        if (message == null) {
            throw new IllegalArgumentException("field is not a message: message=" + name + ", number=" + number);
        }
        return message;
    }

    /** The numbers, as bits, of all fields except the repeated ones: the last occurrence of such a field counts. */
    public long singularNumbers() {
        return ~repeatedNumbers;
    }

    /** Whether the message has a field of this number, and a writer may give it this {@link WireType}. */
    public boolean has(int number, int wireType) {
        for (MessageField field : byName.values()) {
            if (field.number() == number) {
                return wireType == (field.tag() & WireType.MASK)
                        || wireType == field.type().wireType();
            }
        }
        return false;
    }

    /** Whether the field with this number is one of those of which a message has only one, the last. */
    public boolean inOneOf(int number) {
        return number < NUMBERS && (oneOfNumbers >> number & 1) != 0;
    }

    /** The tag of the field that has a meaning only in profiles; 0 if there is none. */
    public int profilesTag() {
        return profilesTag;
    }

    MessageType one(String jsonName, int tag, ProtoType type) {
        return add(new MessageField(jsonName, tag, type, false, null));
    }

    MessageType many(String jsonName, int tag, ProtoType type) {
        return add(new MessageField(jsonName, tag, type, true, null));
    }

    MessageType one(String jsonName, int tag, MessageType message) {
        return add(new MessageField(jsonName, tag, ProtoType.MESSAGE, false, message));
    }

    MessageType many(String jsonName, int tag, MessageType message) {
        return add(new MessageField(jsonName, tag, ProtoType.MESSAGE, true, message));
    }

    MessageType requiredId(String jsonName, int tag) {
        one(jsonName, tag, ProtoType.ID);
        rules[tag >>> WireType.BITS] = LengthRule.REQUIRED_ID;
        return this;
    }

    /** Of these fields, a message has only the last; a message has one such set at most. */
    MessageType oneOf(String... jsonNames) {
        for (String jsonName : jsonNames) {
            oneOfNumbers |=
                    1L << Objects.requireNonNull(byName.get(jsonName), jsonName).number();
        }
        return this;
    }

    MessageType ofProfiles(String jsonName, int tag) {
        profilesTag = tag;
        return one(jsonName, tag, ProtoType.INT32);
    }

    private MessageType add(MessageField field) {
        byName.put(field.jsonName(), field);
        rules[field.number()] = LengthRule.of(field);
        repeatedNumbers |= field.repeated() ? 1L << field.number() : 0;
        messages[field.number()] = field.message();
        return this;
    }

    @Override
    public String toString() {
        return name;
    }
}
