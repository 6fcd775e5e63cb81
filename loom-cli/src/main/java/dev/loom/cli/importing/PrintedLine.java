package dev.loom.cli.importing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognises a line of JSON in which Loom printed a record: time, ts, source and addr, then its fields. */
final class PrintedLine {
    /** A longer source's name is none. */
    private static final int HEAD_LENGTH_MAX = 8192;

    private static final Pattern HEAD = Pattern.compile("\\{\"time\":\"[^\"\\\\]*\",\"ts\":-?\\d+,"
            + "\"source\":\"(?:[^\"\\\\]|\\\\.)*+\",\"addr\":\\d+,(?:\"cause\":\\d+,)?\"fields\":");

    /** What is printed for a payload that is no JSON. */
    private static final byte[] NO_JSON = "null,\"payload\":\"".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] FIRST = "{\"time\":\"".getBytes(StandardCharsets.US_ASCII);

    private PrintedLine() {}

    /** Where the value with the fields begins in a line that is a JSON object; 0 if Loom did not print the line. */
    static int fieldsOffset(byte[] array, int offset, int length) {
        if (!startsWith(FIRST, array, offset, length) || array[offset + length - 1] != '}') {
            return 0;
        }
        // one character for each byte, so that offsets are the same
        String head = new String(array, offset, Math.min(length, HEAD_LENGTH_MAX), StandardCharsets.ISO_8859_1);
        Matcher matcher = HEAD.matcher(head);
        return matcher.lookingAt() ? matcher.end() : 0;
    }

    /** Whether the value stands for a payload that is no JSON. */
    static boolean isNoJson(byte[] array, int offset, int length) {
        return startsWith(NO_JSON, array, offset, length);
    }

    private static boolean startsWith(byte[] start, byte[] array, int offset, int length) {
        return length >= start.length && Arrays.equals(start, 0, start.length, array, offset, offset + start.length);
    }
}
