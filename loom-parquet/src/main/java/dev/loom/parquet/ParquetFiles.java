package dev.loom.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.schema.MessageType;

/**
 * Opens writers of Parquet files without Hadoop. Some constructors of such a writer take classes of Hadoop; javac looks at all of
 * them to choose one, while a handle names it.
 */
final class ParquetFiles {
    private static final MethodHandle CONSTRUCTOR = constructor();

    private ParquetFiles() {}

    private static MethodHandle constructor() {
        try {
            return MethodHandles.publicLookup()
                    .findConstructor(
                            ParquetFileWriter.class,
                            MethodType.methodType(
                                    void.class,
                                    OutputFile.class,
                                    MessageType.class,
                                    ParquetFileWriter.Mode.class,
                                    long.class,
                                    int.class,
                                    FileEncryptionProperties.class,
                                    ParquetProperties.class));
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("this version of parquet-hadoop is not known to Loom", e);
        }
    }

    /** Begins a file on a stream, which the writer does not close. */
    static ParquetFileWriter begin(OutputStream out, MessageType schema, ParquetProperties properties)
            throws IOException {
        ParquetFileWriter writer = construct(new StreamFile(out), schema, properties);
        writer.start();
        return writer;
    }

    private static ParquetFileWriter construct(OutputFile file, MessageType schema, ParquetProperties properties)
            throws IOException {
        try {
            return (ParquetFileWriter) CONSTRUCTOR.invoke(
                    file,
                    schema,
                    ParquetFileWriter.Mode.CREATE,
                    (long) ParquetRows.GROUP_BYTES,
                    0,
                    (FileEncryptionProperties) null,
                    properties);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("the writer of Parquet files could not be made", e);
        }
    }

    /** A stream as what Parquet writes to. */
    private record StreamFile(OutputStream out) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new CountedStream(out);
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }

    private static final class CountedStream extends PositionOutputStream {
        private final OutputStream out;
        private long position;

        CountedStream(OutputStream out) {
            this.out = out;
        }

        @Override
        public long getPos() {
            return position;
        }

        @Override
        public void write(int value) throws IOException {
            out.write(value);
            position++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            position += length;
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        /** The stream is its owner's. */
        @Override
        public void close() {}
    }
}
