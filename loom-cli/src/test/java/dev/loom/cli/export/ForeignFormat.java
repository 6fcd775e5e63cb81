package dev.loom.cli.export;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.PayloadFormat;
import dev.loom.format.PayloadFormatProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A program's own format of one byte, {@code code}, which only {@link #loader} finds. */
public final class ForeignFormat implements PayloadFormatProvider {
    /** A loader that reads its services file from a folder, in which it writes it. */
    static ClassLoader loader(Path folder) throws Exception {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(PayloadFormatProvider.class.getName()), ForeignFormat.class.getName());
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, ForeignFormat.class.getClassLoader());
    }

    @Override
    public Set<String> names() {
        return Set.of("foreign");
    }

    @Override
    public PayloadFormat parse(String text) {
        return new Foreign(text);
    }

    private record Foreign(String text) implements PayloadFormat {
        @Override
        public String name() {
            return "foreign";
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field("code", Field.Type.U8, false));
        }

        @Override
        public FieldReader field(String name) {
            return (buffer, offset, length, into) -> into.setInteger(buffer.getByte(offset));
        }
    }
}
