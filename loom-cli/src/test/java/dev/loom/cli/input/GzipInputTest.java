package dev.loom.cli.input;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.cli.Cli;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GzipInputTest {
    private static byte[] text(int length) {
        byte[] text = new byte[length];
        Random random = new Random(length);
        for (int i = 0; i < length; i++) {
            text[i] = (byte) "abc\n".charAt(random.nextInt(4));
        }
        return text;
    }

    private static byte[] gzip(byte[] text) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        return bytes.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] read(byte[] compressed) throws IOException {
        try (GzipInput input = new GzipInput(new ByteArrayInputStream(compressed))) {
            return input.readAllBytes();
        }
    }

    @Test
    void shouldReadAllMembers() throws IOException {
        byte[] first = text(200_000);
        byte[] last = text(7);
        byte[] none = {};
        assertArrayEquals(
                join(first, last), read(join(gzip(first), gzip(none), new byte[1000], gzip(last), new byte[70_000])));
        byte[] named = gzip(last);
        named[3] = 4 | 8 | 16 | 2; // an extra field, a name, a comment and a checksum of the header
        byte[] header = join(Arrays.copyOf(named, 10), new byte[] {3, 0, 1, 2, 3, 'n', 0, 'c', 'c', 0, 9, 9});
        assertArrayEquals(last, read(join(header, Arrays.copyOfRange(named, 10, named.length))));
    }

    @Test
    void shouldTellWhereItEndsTooEarly() throws IOException {
        byte[] member = gzip(text(300));
        byte[] two = join(member, member);
        for (int length = 0; length < two.length; length++) {
            byte[] cut = Arrays.copyOf(two, length);
            if (length == member.length) {
                assertEquals(300, read(cut).length);
            } else {
                EOFException e = assertThrows(EOFException.class, () -> read(cut));
                int whole = length < member.length + 10 ? 1 : 2;
                assertEquals("gzip ends early: member=" + whole + ", bytes=" + length, e.getMessage());
            }
        }
    }

    @Test
    void shouldTellWhatIsDamaged() {
        byte[] member = gzip(text(300));
        for (int i = 0; i < member.length; i++) {
            if (i < 4 || i > 9) {
                byte[] damaged = member.clone();
                damaged[i] ^= (byte) (i == 3 ? 0x80 : 0x11);
                assertThrows(IOException.class, () -> read(damaged), "byte " + i);
            }
        }
        byte[] garbage = join(member, "garbage behind it".getBytes(StandardCharsets.UTF_8));
        assertThrows(ZipException.class, () -> read(garbage));
    }

    @Test
    void shouldEndAnImportOfCutMembersByExitCode(@TempDir Path directory) throws IOException {
        byte[] member = gzip("a\nb\n".getBytes(StandardCharsets.UTF_8));
        Path file = Files.write(directory.resolve("lines.gz"), join(member, Arrays.copyOf(member, 9)));
        Cli.Result result = Cli.on(directory.resolve("store"))
                .run("import", "--source", "s", "--format", "lines", file.toString())
                .exit(4);
        assertEquals(
                "loom: input is damaged: gzip ends early: member=1, bytes=" + (member.length + 9),
                result.err().lines().reduce((before, last) -> last).orElse(""));
    }
}
