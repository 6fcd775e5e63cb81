package dev.loom.cli.importing;

import dev.loom.cli.pcap.Capture;
import dev.loom.cli.pcap.CaptureException;
import dev.loom.cli.pcap.PacketBytes;
import dev.loom.cli.pcap.PacketHeaders;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The packets of a capture as structs: fields from their headers, their link type and interface, and the captured bytes. */
final class PcapInput implements RecordInput {
    static final String TIME_FIELD = "ts_ns";

    private static final String HEADER_FIELDS = "ts_ns:i64?,caplen:u32,len:u32,"
            + "protocol:utf8?,src:utf8?,dst:utf8?,sport:u16?,dport:u16?,tcp_flags:u8?,flags:utf8?,seq:u32?,ack:u32?,"
            + "payload_len:u32?,";

    static final StructFormat FORMAT = Formats.struct(HEADER_FIELDS + "link:u16?,iface:utf8?,data:bytes");

    /** The format of sources that earlier versions defined. */
    static final StructFormat FORMAT_WITHOUT_LINK = Formats.struct(HEADER_FIELDS + "data:bytes");

    // the fields of both have the same indexes, except the last
    private static final int TIME = FORMAT.fieldIndex(TIME_FIELD);
    private static final int CAPTURED_LENGTH = FORMAT.fieldIndex("caplen");
    private static final int LENGTH = FORMAT.fieldIndex("len");
    private static final int PROTOCOL = FORMAT.fieldIndex("protocol");
    private static final int SOURCE = FORMAT.fieldIndex("src");
    private static final int DESTINATION = FORMAT.fieldIndex("dst");
    private static final int SOURCE_PORT = FORMAT.fieldIndex("sport");
    private static final int DESTINATION_PORT = FORMAT.fieldIndex("dport");
    private static final int TCP_FLAGS = FORMAT.fieldIndex("tcp_flags");
    private static final int FLAG_NAMES = FORMAT.fieldIndex("flags");
    private static final int SEQUENCE = FORMAT.fieldIndex("seq");
    private static final int ACKNOWLEDGEMENT = FORMAT.fieldIndex("ack");
    private static final int PAYLOAD_LENGTH = FORMAT.fieldIndex("payload_len");
    private static final int LINK_TYPE = FORMAT.fieldIndex("link");
    private static final int INTERFACE = FORMAT.fieldIndex("iface");

    /** The most that a struct takes besides the captured bytes and the interface's name. */
    private static final int HEADERS_LENGTH_MAX = 512;

    private final Capture capture;
    private final PacketHeaders headers = new PacketHeaders();
    private final StructWriter writer;
    private final boolean linked;
    private final int data;
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private @Nullable String damage;

    /** @param format {@link #FORMAT} or {@link #FORMAT_WITHOUT_LINK} */
    PcapInput(Capture capture, StructFormat format) {
        this.capture = capture;
        this.writer = new StructWriter(format);
        this.linked = format.equals(FORMAT);
        this.data = format.fieldIndex("data");
    }

    /** Nothing can be found after damage, so the damage is reported as the last, bad record. */
    @Override
    public boolean next() throws IOException {
        if (damage != null) {
            return false;
        }
        try {
            return capture.next();
        } catch (CaptureException e) {
            damage = e.getMessage();
            return true;
        }
    }

    /** An interruption within a packet looks like damage. */
    @Override
    public boolean whole() {
        return damage == null;
    }

    @Override
    public String position() {
        return "packet " + capture.number();
    }

    @Override
    public @Nullable String encode(PayloadBatch batch) {
        if (damage != null) {
            return damage;
        }
        PacketBytes packet = capture.bytes();
        headers.decode(capture.linkType(), packet, capture.originalLength());
        byte[] name = capture.interfaceName().getBytes(StandardCharsets.UTF_8);
        int lengthMax = HEADERS_LENGTH_MAX + name.length + packet.length();
        batch.ensure(lengthMax);
        writer.begin(batch.buffer(), batch.offset(), lengthMax);
        if (capture.timeNs() != Capture.NO_TIME) {
            writer.setLong(TIME, capture.timeNs());
        }
        writer.setLong(CAPTURED_LENGTH, packet.length());
        writer.setLong(LENGTH, capture.originalLength());
        setText(PROTOCOL, headers.protocol());
        setText(SOURCE, headers.source());
        setText(DESTINATION, headers.destination());
        setIfPresent(SOURCE_PORT, headers.sourcePort());
        setIfPresent(DESTINATION_PORT, headers.destinationPort());
        setIfPresent(TCP_FLAGS, headers.tcpFlags());
        setText(FLAG_NAMES, headers.flagNames());
        setIfPresent(SEQUENCE, headers.sequence());
        setIfPresent(ACKNOWLEDGEMENT, headers.acknowledgement());
        setIfPresent(PAYLOAD_LENGTH, headers.payloadLength());
        if (linked) {
            writer.setLong(LINK_TYPE, capture.linkType());
            setText(INTERFACE, name, name.length);
        }
        view.wrap(packet.array());
        writer.setBytes(data, view, packet.arrayOffset(), packet.length());
        batch.encoded(writer.finish());
        return null;
    }

    private void setIfPresent(int field, long value) {
        if (value != PacketHeaders.ABSENT) {
            writer.setLong(field, value);
        }
    }

    private void setText(int field, TextBuffer text) {
        setText(field, text.array(), text.length());
    }

    private void setText(int field, byte[] utf8, int length) {
        if (length > 0) {
            view.wrap(utf8);
            writer.setUtf8(field, view, 0, length);
        }
    }

    @Override
    public boolean damaged() {
        return damage != null;
    }

    @Override
    public byte[] rawBytes() {
        return new byte[0];
    }
}
