package dev.loom.format;

import java.util.function.Supplier;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The value of one field of one record. Reused from record to record: what it returns is valid until the next read into
 * it, or the next read through its {@link #lookup()} for another record. It also holds the working state of readers, so
 * that readers can be shared. Not thread-safe.
 */
public final class FieldValue {
    /** The kind of a value. */
    public enum Kind {
        ABSENT,
        /** {@link #longValue()}, signed. */
        INTEGER,
        /** {@link #longValue()}, unsigned and greater than {@code Long.MAX_VALUE}. */
        UNSIGNED,
        DOUBLE,
        /** {@link #longValue()} is 0 or 1. */
        BOOLEAN,
        /** UTF-8 in {@link #bytes()}; not validated. */
        TEXT,
        BYTES,
        /** A JSON array or object: its UTF-8 text in {@link #bytes()}. */
        JSON
    }

    private static final DirectBuffer EMPTY = new UnsafeBuffer(new byte[0]);

    private Kind kind = Kind.ABSENT;
    private long longValue;
    private double doubleValue;
    private DirectBuffer bytes = EMPTY;
    private int offset;
    private int length;
    private @Nullable UnsafeBuffer scratch;
    private @Nullable RecordLookup lookup;
    private @Nullable Object state;
    private @Nullable JsonScanner jsonScanner;
    private @Nullable ExpandableArrayBuffer jsonName;
    private @Nullable JsonMatches jsonMatches;

    /** Makes an absent value. */
    public FieldValue() {}

    public Kind kind() {
        return kind;
    }

    public long longValue() {
        return longValue;
    }

    public double doubleValue() {
        return doubleValue;
    }

    /** The buffer that holds the bytes of a text, bytes or JSON value, from {@link #offset()}. */
    public DirectBuffer bytes() {
        return bytes;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    public void setAbsent() {
        kind = Kind.ABSENT;
    }

    public void setInteger(long value) {
        kind = Kind.INTEGER;
        longValue = value;
    }

    /** Sets an unsigned value; one that fits a signed long becomes {@link Kind#INTEGER}. */
    public void setUnsigned(long bits) {
        kind = bits < 0 ? Kind.UNSIGNED : Kind.INTEGER;
        longValue = bits;
    }

    public void setDouble(double value) {
        kind = Kind.DOUBLE;
        doubleValue = value;
    }

    public void setBoolean(boolean value) {
        kind = Kind.BOOLEAN;
        longValue = value ? 1 : 0;
    }

    /** Sets a value of kind {@link Kind#TEXT}, {@link Kind#BYTES} or {@link Kind#JSON}, in place. */
    public void setBytes(Kind bytesKind, DirectBuffer buffer, int bytesOffset, int bytesLength) {
        kind = bytesKind;
        if (bytes != buffer) { // storing a reference may cost more than the rest of this method
            bytes = buffer;
        }
        offset = bytesOffset;
        length = bytesLength;
    }

    /**
     * Scratch space for a value that is not in the payload literally, such as a text with escapes. It is kept, and as
     * large as the largest capacity ever requested.
     */
    public MutableDirectBuffer scratch(int capacity) {
        UnsafeBuffer room = scratch;
        if (room == null || room.capacity() < capacity) {
            room = new UnsafeBuffer(new byte[BitUtil.findNextPositivePowerOfTwo(Math.max(64, capacity))]);
            scratch = room;
        }
        return room;
    }

    /** Sets how readers find the records that a payload refers to; without it they find none. */
    public void lookup(@Nullable RecordLookup newLookup) {
        lookup = newLookup;
    }

    /** Sets the address of the record whose payload is read from now on. */
    public void from(long recordAddress) {
        if (lookup != null) {
            lookup.from(recordAddress);
        }
    }

    /** Finds the records that a payload refers to; null if they can't be found. */
    public @Nullable RecordLookup lookup() {
        return lookup;
    }

    /**
     * State that the readers of a provider's format keep from read to read, or need in order to read without
     * allocating. Made on first use, then kept.
     */
    public <T> T state(Class<T> type, Supplier<? extends T> maker) {
        Object kept = state;
        if (!type.isInstance(kept)) {
            kept = maker.get();
            state = kept;
        }
        return type.cast(kept);
    }

    JsonScanner jsonScanner() {
        JsonScanner scanner = jsonScanner;
        if (scanner == null) {
            scanner = new JsonScanner();
            jsonScanner = scanner;
        }
        return scanner;
    }

    JsonMatches jsonMatches() {
        JsonMatches matches = jsonMatches;
        if (matches == null) {
            matches = new JsonMatches();
            jsonMatches = matches;
        }
        return matches;
    }

    /** Scratch space for a member's name; separate from {@link #scratch}, which may hold an earlier value. */
    ExpandableArrayBuffer jsonName() {
        ExpandableArrayBuffer name = jsonName;
        if (name == null) {
            name = new ExpandableArrayBuffer(64);
            jsonName = name;
        }
        return name;
    }

    /** The value as text, newly allocated; for tests and display. */
    public String text() {
        return switch (kind) {
            case ABSENT -> "";
            case INTEGER -> Long.toString(longValue);
            case UNSIGNED -> Long.toUnsignedString(longValue);
            case DOUBLE -> Double.toString(doubleValue);
            case BOOLEAN -> longValue == 0 ? "false" : "true";
            case TEXT, BYTES, JSON -> bytes.getStringWithoutLengthUtf8(offset, length);
        };
    }

    /**
     * A view of a value of kind {@link FieldValue.Kind#JSON}: the elements of an array, and the text as people see it.
     * Allocates nothing once warm. For one thread.
     */
    public static final class JsonView {
        private final JsonScanner scanner = new JsonScanner();
        private boolean more;

        /** Makes a view of no value. */
        public JsonView() {}

        /** Moves before the first element of an array; an object has none. */
        public void elementsOf(FieldValue json) {
            scanner.wrap(json.bytes(), json.offset(), json.offset() + json.length());
            more = scanner.peekToken() == '[' && scanner.enter() && !scanner.leave(']');
        }

        /**
         * Reads the next element that is not an array; nested arrays contribute their elements in order. False after the
         * last, and if the array is malformed.
         */
        public boolean next(FieldValue into) {
            while (more) {
                if (scanner.peekToken() != '[') {
                    more = JsonFieldReader.readValue(scanner, into);
                    boolean read = more;
                    more = more && isFollowed();
                    return read;
                }
                if (!scanner.enter()) {
                    more = false;
                } else if (scanner.leave(']')) {
                    more = isFollowed();
                }
            }
            return false;
        }

        /** Leaves the arrays that end here, and skips the comma before the next element; false when there is none. */
        private boolean isFollowed() {
            while (scanner.depth() > 0) {
                if (!scanner.leave(']')) {
                    return scanner.peekToken() == ',' && scanner.skipByte(',');
                }
            }
            return false;
        }

        /** Whether the stored text is also the printed one: it has no white space between tokens, and no escapes. */
        public static boolean isPlain(FieldValue json) {
            DirectBuffer bytes = json.bytes();
            boolean string = false;
            for (int i = json.offset(), end = i + json.length(); i < end; i++) {
                byte c = bytes.getByte(i);
                if (c == '\\') {
                    return false;
                }
                string ^= c == '"';
                if (!string && isSpace(c)) {
                    return false;
                }
            }
            return true;
        }

        /**
         * Sets the text as it is printed, without white space between tokens.
         *
         * @param decoded whether to resolve the escapes within strings as well
         */
        public static void visible(FieldValue json, boolean decoded, FieldValue into) {
            DirectBuffer bytes = json.bytes();
            MutableDirectBuffer text = into.scratch(json.length());
            int length = 0;
            int end = json.offset() + json.length();
            for (int i = json.offset(); i < end; ) {
                byte c = bytes.getByte(i);
                if (c != '"') {
                    if (!isSpace(c)) {
                        text.putByte(length++, c);
                    }
                    i++;
                    continue;
                }
                int close = endOfString(bytes, i + 1, end);
                text.putByte(length++, c);
                if (decoded && close < end) {
                    length += JsonString.decode(bytes, i + 1, close, text, length);
                } else {
                    text.putBytes(length, bytes, i + 1, close - i - 1);
                    length += close - i - 1;
                }
                if (close < end) {
                    text.putByte(length++, c);
                }
                i = close + 1;
            }
            into.setBytes(FieldValue.Kind.TEXT, text, 0, length);
        }

        private static int endOfString(DirectBuffer bytes, int from, int end) {
            int at = from;
            while (at < end && bytes.getByte(at) != '"') {
                at += bytes.getByte(at) == '\\' ? 2 : 1;
            }
            return Math.min(at, end);
        }

        private static boolean isSpace(byte c) {
            return c == ' ' || c == '\n' || c == '\t' || c == '\r';
        }
    }
}
