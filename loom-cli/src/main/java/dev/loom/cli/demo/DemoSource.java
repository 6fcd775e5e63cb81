package dev.loom.cli.demo;

import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import java.util.Locale;

/** The sources that the demo captures, with the format of their payloads. */
enum DemoSource {
    /** Each request, timed by its client from its first byte sent to its reply's last byte, retries included. */
    REQUESTS("struct:id:i64,latency_ns:i64,client:u8,attempts:u8,op:utf8,key:utf8", "latency_ns"),
    /** Each {@code recv} and {@code send} of the server; {@code ret} is 0 at the end of the stream. */
    SOCKET_OPS("struct:latency_ns:i64,ret:i32,peer_port:u16,op:utf8,thread:utf8", "latency_ns"),
    /** Each packet as the filter passed it on; {@code frame_length} is what its own length field says. */
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

    /** How the records' payloads read. */
    StructFormat format() {
        return (StructFormat) Formats.parse(formatText);
    }

    /** The field that there is an index over. */
    String indexedField() {
        return indexedField;
    }
}
