package dev.loom.text;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The 64-bit digest of a token, which every filter of every unit shares (hash sharing, "Reducing Bloom filter CPU overhead"). It
 * has a running state: the state takes one folded code point after the other, and {@link #finish} gives the digest of what was
 * taken so far. So the digests of a token and of all its prefixes come in one pass.
 *
 * <p>Taking a code point is a bijection of the state, and two states that differ by one code point do not meet at the next. Tokens
 * of anagrams therefore differ, unlike with ESTELLE's chain of XOR (3.2.2). The digest depends on neither the machine nor the run.
 */
public final class TokenDigest {
    /** The version of the digest; data built from digests records the version that it was built with. */
    public static final int VERSION = 1;

    /** The state before the first code point. */
    public static final long EMPTY = 0x2545F4914F6CDD1DL;

    /** 2^64 divided by the golden ratio, whose multiples lie as far from each other as can be. */
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    /** Taken before the name of a field, in place of a code point: what follows is a digest of its whole value. */
    private static final int OF_FIELD = Character.MAX_CODE_POINT + 1;

    /** Taken between the name and a text. */
    private static final int TEXT = OF_FIELD + 1;

    /** Taken between the name and a whole number. */
    private static final int INTEGER = OF_FIELD + 2;

    /** Taken behind the name, instead of any value. */
    private static final int UNCERTAIN = OF_FIELD + 3;

    private TokenDigest() {}

    /** The state behind the beginning of a field's name. */
    public static long field(String beginning) {
        byte[] name = beginning.getBytes(StandardCharsets.UTF_8);
        long state = add(EMPTY, OF_FIELD);
        for (byte b : name) {
            state = add(state, b & 0xFF);
        }
        return state;
    }

    /** The state after more bytes, such as the rest of a field's name. */
    public static long add(long state, DirectBuffer bytes, int offset, int length) {
        long added = state;
        for (int i = offset; i < offset + length; i++) {
            added = add(added, bytes.getByte(i) & 0xFF);
        }
        return added;
    }

    /** The digest of a field's whole text, of the state behind the field's name. */
    public static long ofText(long field, DirectBuffer bytes, int offset, int length) {
        return finish(add(add(field, TEXT), bytes, offset, length));
    }

    /** The digest of a field's whole number, of the state behind the field's name. */
    public static long ofInteger(long field, long value) {
        return finish(add(add(add(field, INTEGER), (int) value), (int) (value >> Integer.SIZE)));
    }

    /** The digest that stands for a field whose values could not be taken, of the state behind the field's name. */
    public static long ofUncertain(long field) {
        return finish(add(field, UNCERTAIN));
    }

    /** The state after another code point. */
    public static long add(long state, int codePoint) {
        long product = (state ^ codePoint) * MULTIPLIER;
        return product ^ product >>> 32;
    }

    /** The digest of what a state has taken. */
    public static long finish(long state) {
        long mixed = state;
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /**
     * The digest of the token that a reader stands on. As in {@link TokenReader#LENGTH_MAX}, longer tokens differ by their
     * length besides the code points kept.
     */
    public static long of(TokenReader token) {
        return finish(token.state());
    }

    /** The state after these code points. */
    static long state(int[] codePoints, int length) {
        long state = EMPTY;
        for (int i = 0; i < length; i++) {
            state = add(state, codePoints[i]);
        }
        return state;
    }
}
