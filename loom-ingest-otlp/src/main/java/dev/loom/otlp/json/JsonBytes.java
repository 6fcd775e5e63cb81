package dev.loom.otlp.json;

import java.util.Base64;
import java.util.HexFormat;

/** Byte strings in JSON: ids as hexadecimal digits, others as base64. */
final class JsonBytes {
    private static final int TRACE_ID_LENGTH = 16;
    private static final int SPAN_ID_LENGTH = 8;

    private JsonBytes() {}

    /** The id in a field of this name, which determines its length; an empty text is an empty id. */
    static byte[] id(String name, String text) throws BadValueException {
        int length = name.equals("traceId") ? TRACE_ID_LENGTH : SPAN_ID_LENGTH;
        if (!text.isEmpty() && text.length() != 2 * length) {
            throw new BadValueException(
                    "does not have " + 2 * length + " hexadecimal digits: characters=" + text.length());
        }
        try {
            return HexFormat.of().parseHex(text);
        } catch (IllegalArgumentException e) {
            throw new BadValueException("has characters other than hexadecimal digits");
        }
    }

    /** The bytes of a base64 text in either alphabet, padded or not. */
    static byte[] base64(String text) throws BadValueException {
        boolean url = text.indexOf('-') >= 0 || text.indexOf('_') >= 0;
        try {
            return (url ? Base64.getUrlDecoder() : Base64.getDecoder()).decode(text);
        } catch (IllegalArgumentException e) {
            throw new BadValueException("is not base64");
        }
    }
}
