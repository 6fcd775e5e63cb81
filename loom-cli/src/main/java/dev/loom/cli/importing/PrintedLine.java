package dev.loom.cli.importing;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognises a line of JSON in which Loom printed a record: time, ts, source and addr, then its fields. */
final class PrintedLine {
    /** A longer source's name is none. */
    private static final int HEAD_LENGTH_MAX = 8192;

    private static final Pattern HEAD = Pattern.compile("\\{\"time\":\"[^\"\\\\]*\",\"ts\":-?\\d+,"
            + "\"source\":\"(?:[^\"\\\\]|\\\\.)*+\",\"addr\":\\d+,(?:\"cause\":\\d+,)?\"fields\":(?=\\{)");

    private static final byte[] FIRST = "{\"time\":\"".getBytes(StandardCharsets.US_ASCII);

    private PrintedLine() {}

    /** Where the object with the fields begins in a line that is a JSON object; 0 if Loom did not print the line. */
    static int fieldsOffset(byte[] array, int offset, int length) {
        if (length < FIRST.length || array[offset + length - 1] != '}') {
            return 0;
        }
        for (int i = 0; i < FIRST.length; i++) {
            if (array[offset + i] != FIRST[i]) {
                return 0;
            }
        }
        // one character for each byte, so that offsets are the same
        String head = new String(array, offset, Math.min(length, HEAD_LENGTH_MAX), StandardCharsets.ISO_8859_1);
        Matcher matcher = HEAD.matcher(head);
        return matcher.lookingAt() ? matcher.end() : 0;
    }
}
