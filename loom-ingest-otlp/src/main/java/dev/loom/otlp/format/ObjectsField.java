package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.WireReader;
import java.util.List;
import org.agrona.DirectBuffer;

/** Reads the messages in a field as a JSON array of objects; no messages are no value. */
final class ObjectsField implements FieldReader {
    private static final int TRACE_ID_LENGTH = 16;
    private static final int SPAN_ID_LENGTH = 8;

    private final int tag;
    private final List<Member> members;

    /** @param tag of the field in the record's message */
    ObjectsField(int tag, Member... members) {
        this.tag = tag;
        this.members = List.of(members);
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(Part.MESSAGE, buffer, offset, length, into)) {
            return;
        }
        WireReader reader = state.reader;
        AttributeJson json = state.json;
        json.begin();
        json.put('[');
        while (reader.next()) {
            if (reader.tag() == tag) {
                if (json.length() > 1) {
                    json.put(',');
                }
                putObject(state, reader.buffer(), reader.offset(), reader.length());
            }
        }
        boolean none = json.length() == 1;
        json.put(']');
        if (reader.failure() == null && !none) {
            json.set(into);
        }
    }

    private void putObject(ReadState state, DirectBuffer buffer, int offset, int length) {
        state.json.put('{');
        int beginning = state.json.length();
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            WireReader reader = state.within;
            reader.wrap(buffer, offset, length);
            boolean found = member.type() == Member.Type.DOUBLE_OR_ZERO;
            long value = 0;
            int at = offset;
            while (reader.next()) {
                if (reader.tag() == member.tag()) {
                    found = true;
                    value = reader.value();
                    at = reader.offset();
                } else if (isAlternative(member, reader.tag())) {
                    found = false; // of a oneof the last counts
                }
            }
            if (reader.failure() != null) {
                state.json.fail();
                return;
            }
            if (found) {
                putMember(state.json, beginning, member, value, buffer, at, offset, length);
            }
        }
        state.json.put('}');
    }

    private boolean isAlternative(Member member, int otherTag) {
        for (int i = 0; i < members.size(); i++) {
            Member each = members.get(i);
            if (each.tag() == otherTag && each.name().equals(member.name())) { // and so it is another one
                return true;
            }
        }
        return false;
    }

    private static void putMember(
            AttributeJson json,
            int beginning,
            Member member,
            long value,
            DirectBuffer buffer,
            int at,
            int messageOffset,
            int messageLength) {
        boolean there = switch (member.type()) {
            case TRACE_ID -> WireField.isId(buffer, at, value, TRACE_ID_LENGTH);
            case SPAN_ID -> WireField.isId(buffer, at, value, SPAN_ID_LENGTH);
            case TIME, TEXT, NUMBER -> value != 0;
            case PAIRS, INTEGER, DOUBLE, DOUBLE_OR_ZERO -> true;
        };
        if (!there) {
            return;
        }
        json.putName(member.name(), beginning);
        switch (member.type()) {
            case TEXT -> json.putText(buffer, at, (int) value);
            case TRACE_ID -> json.putHex(buffer, at, TRACE_ID_LENGTH);
            case SPAN_ID -> json.putHex(buffer, at, SPAN_ID_LENGTH);
            case PAIRS -> {
                json.put('{');
                json.putPairs(buffer, messageOffset, messageLength, member.tag(), json.length(), 0);
                json.put('}');
            }
            case TIME -> json.putUnsigned(value);
            case NUMBER -> json.putUnsigned(value & 0xFFFF_FFFFL);
            case INTEGER -> json.putLong(value);
            case DOUBLE, DOUBLE_OR_ZERO -> json.putDouble(Double.longBitsToDouble(value));
        }
    }
}
