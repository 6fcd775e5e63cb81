package dev.loom.parquet;

import io.airlift.compress.zstd.ZstdCompressor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory.BytesInputCompressor;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Compresses pages by Zstandard, without native code. */
final class ZstdPages implements BytesInputCompressor {
    private final ZstdCompressor compressor = new ZstdCompressor();

    @Override
    public BytesInput compress(BytesInput page) throws IOException {
        ByteArrayOutputStream joined = new ByteArrayOutputStream(Math.toIntExact(page.size()));
        page.writeAllTo(joined);
        byte[] plain = joined.toByteArray();
        byte[] compressed = new byte[compressor.maxCompressedLength(plain.length)];
        int length = compressor.compress(plain, 0, plain.length, compressed, 0, compressed.length);
        return BytesInput.from(compressed, 0, length);
    }

    @Override
    public CompressionCodecName getCodecName() {
        return CompressionCodecName.ZSTD;
    }

    @Override
    public void release() {}
}
