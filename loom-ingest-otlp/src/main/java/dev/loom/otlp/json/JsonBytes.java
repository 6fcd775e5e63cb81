package dev.loom.otlp.json;

import java.util.Base64;
import java.util.HexFormat;

/** Byte strings in JSON: ids as hexadecimal digits, others as base64. */
final class JsonBytes {
    private JsonBytes() {}

    /** An id of any length, as in protobuf: one of a wrong length is a matter of its span alone. */
    static byte[] id(String text) throws BadValueException {
        if (text.length() % 2 != 0) {
            throw new BadValueException("has an odd number of hexadecimal digits: characters=" + text.length());
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
