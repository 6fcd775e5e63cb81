package dev.loom.filter;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.IndexedText;
import dev.loom.format.IndexedText.Part;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the tokens of records: the words and whole values of the fields that a source's text index takes. For a record whose values
 * it can't take it gives the token that says so ({@link TokenDigest#ofUncertain}), for which every search looks too. For one thread;
 * allocates nothing for texts of ASCII.
 */
public final class RowTokens {
    /** Receives a record's tokens. */
    public interface Sink {
        /** The word that a reader stands on. */
        void onWord(TokenReader token);

        /** The digest of a value. */
        void onValue(long digest);
    }

    private final PayloadFormat format;
    private final @Nullable RecordLookup lookup;
    private final List<Field> fields = new ArrayList<>();
    private final TokenReader tokens = new TokenReader();
    private FieldValue value = new FieldValue();
    private FieldValue.JsonView elements = new FieldValue.JsonView();
    private FieldValue visible = new FieldValue();
    private final PayloadFormat.MemberHandler members = this::onMember;
    private final BiConsumer<String, FieldValue> all = this::onField;
    /** The state of the digest behind the field's name or its prefix. */
    private long name;

    private @Nullable Sink sink;
    private boolean certain;
    private long exhausted;
    /** Whether the sink has been called and has not returned. */
    private boolean passing;

    /** A field with its reader, null for what has none of its own. */
    private record Field(Part part, @Nullable FieldReader reader, long name, long uncertain) {}

    /** @param lookup finds the records that payloads refer to */
    public RowTokens(IndexedText indexed, PayloadFormat format, @Nullable RecordLookup lookup) {
        this.format = format;
        this.lookup = lookup;
        value.lookup(lookup);
        for (Part part : indexed.fields()) {
            boolean single = !part.isPrefix() && !part.name().equals(IndexedText.ANY);
            long state = TokenDigest.field(part.isPrefix() ? part.prefix() : part.name());
            FieldReader reader = single ? format.field(part.name()) : null;
            if (!single || reader != null) { // no record has a field that the format does not have
                fields.add(new Field(part, reader, state, uncertain(part)));
            }
        }
    }

    /** The digest of the token of records from which a part of the index could not take all. */
    static long uncertain(Part part) {
        return TokenDigest.ofUncertain(TokenDigest.field(part.toString()));
    }

    /** Passes the tokens of a payload on; one may come more than once. */
    public void read(long address, DirectBuffer buffer, int offset, int length, Sink into) {
        sink = into;
        value.from(address);
        for (int i = 0; i < fields.size(); i++) {
            Field field = fields.get(i);
            long failuresBefore = failures();
            certain = true;
            name = field.name();
            passing = false; // the sink may have thrown the last time
            try {
                read(field, buffer, offset, length);
            } catch (OutOfMemoryError e) {
                if (passing) {
                    passing = false;
                    throw e;
                }
                exhausted++;
                certain = false; // its row counts, even though its chunk is left out
                forgetBuffers(address);
            }
            if (!certain || failures() != failuresBefore) {
                into.onValue(field.uncertain());
            }
        }
    }

    private void read(Field field, DirectBuffer buffer, int offset, int length) {
        if (field.part().isPrefix()) {
            String prefix = field.part().prefix();
            certain = format.forEachMember(prefix, buffer, offset, length, value, members);
        } else if (field.reader() != null) {
            field.reader().read(buffer, offset, length, value);
            take(field.part().words());
        } else {
            format.forEachField(buffer, offset, length, value, all);
        }
    }

    private void forgetBuffers(long address) {
        value = new FieldValue();
        value.lookup(lookup);
        value.from(address);
        elements = new FieldValue.JsonView();
        visible = new FieldValue();
    }

    /**
     * How often memory was too small for a value. Its record's tokens are not all passed on then: its chunk is to be read by searches, as the
     * value is the record's own matter, and not that of others behind it.
     */
    public long exhausted() {
        return exhausted;
    }

    /** How often a record that payloads refer to could not be read: what depends on it is unknown, and not absent. */
    private long failures() {
        return lookup == null ? 0 : lookup.failures();
    }

    private void onField(String field, FieldValue read) {
        certain &= read.kind() != FieldValue.Kind.ABSENT; // fields of a malformed payload can be read none the less
        takeWords(read);
    }

    private void take(boolean words) {
        if (words) {
            takeWords(value);
        } else if (value.kind() == FieldValue.Kind.JSON) {
            elements.elementsOf(value);
            while (elements.next(visible)) {
                takeValue(name, visible);
            }
        } else {
            takeValue(name, value);
        }
    }

    private void onMember(DirectBuffer rest, int offset, int length, FieldValue member) {
        takeValue(TokenDigest.add(name, rest, offset, length), member);
    }

    private void takeValue(long field, FieldValue taken) {
        switch (taken.kind()) {
            case TEXT, BYTES -> pass(TokenDigest.ofText(field, taken.bytes(), taken.offset(), taken.length()));
            case INTEGER -> pass(TokenDigest.ofInteger(field, taken.longValue()));
            case DOUBLE -> {
                double number = taken.doubleValue();
                if (number == (long) number) { // equals a whole number, though perhaps not the nearest one's only
                    pass(TokenDigest.ofInteger(field, (long) number));
                }
            }
            case UNSIGNED, BOOLEAN, JSON, ABSENT -> {} // no search asks for them
        }
    }

    private void takeWords(FieldValue taken) {
        switch (taken.kind()) {
            case TEXT, BYTES -> takeWords(taken.bytes(), taken.offset(), taken.length());
            case JSON -> {
                takeWords(taken.bytes(), taken.offset(), taken.length());
                if (!FieldValue.JsonView.isPlain(taken)) {
                    // its text may be searched as it is stored, as it is printed, and with escapes resolved
                    takeVisible(taken, false);
                    takeVisible(taken, true);
                }
            }
            case INTEGER, UNSIGNED, DOUBLE, BOOLEAN, ABSENT -> {}
        }
    }

    private void takeVisible(FieldValue json, boolean decoded) {
        FieldValue.JsonView.visible(json, decoded, visible);
        takeWords(visible.bytes(), visible.offset(), visible.length());
    }

    private void takeWords(DirectBuffer buffer, int offset, int length) {
        tokens.wrap(buffer, offset, length);
        Sink into = sink();
        while (tokens.next()) {
            passing = true;
            into.onWord(tokens);
            passing = false;
        }
    }

    private void pass(long digest) {
        passing = true;
        sink().onValue(digest);
        passing = false;
    }

    private Sink sink() {
        Sink into = sink;
        if (into == null) {
            throw new IllegalStateException("no record is being read");
        }
        return into;
    }
}
