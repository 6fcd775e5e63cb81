package dev.loom.cli.demo;

import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import java.util.Locale;

/** The sources of the demo and their payload formats. */
enum DemoSource {
    /** Each request, timed by its client from the first byte sent to the last byte of the reply, retries included. */
    REQUESTS("struct:id:i64,latency_ns:i64,client:u8,attempts:u8,op:utf8,key:utf8", "latency_ns"),
    /** Each {@code recv} and {@code send} of the server; {@code ret} is 0 at the end of the stream. */
    SOCKET_OPS("struct:latency_ns:i64,ret:i32,peer_port:u16,op:utf8,thread:utf8", "latency_ns"),
    /** Each packet as the filter forwarded it; {@code frame_length} is the value of its length field. */
    PACKETS("struct:length:i32,frame_length:i32,src_port:u16,dst_port:u16,direction:utf8,data:bytes", "frame_length");

    private final String formatText;
    private final String indexedField;

    DemoSource(String formatText, String indexedField) {
        this.formatText = formatText;
        this.indexedField = indexedField;
    }

    /** The source's name in the store. */
    String sourceName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The format of the source's payloads. */
    StructFormat format() {
        return (StructFormat) Formats.parse(formatText);
    }

    /** The field that has an index. */
    String indexedField() {
        return indexedField;
    }
}
