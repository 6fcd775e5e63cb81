package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.cli.console.Console;
import dev.loom.cli.pcap.PcapngOutput;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Packets as pcapng: the records of sources with the fields that an import of packets defines, at least its times and bytes. */
final class PacketForm extends RecordForm {
    private static final Map<String, Field.Type> NEEDED =
            Map.of("ts_ns", Field.Type.I64, "len", Field.Type.U32, "data", Field.Type.BYTES);
    private static final Map<String, Field.Type> POSSIBLE = Map.of("link", Field.Type.U16, "iface", Field.Type.UTF8);

    private final Console console;
    private final int linkType;
    private final PcapngOutput packets;
    private long withoutTime;
    private long withoutLinkType;
    private long malformed;

    /** @param linkType of packets whose records have none */
    PacketForm(Console console, DataOutput out, int linkType) {
        this.console = console;
        this.linkType = linkType;
        this.packets = new PcapngOutput(out);
    }

    @Override
    String kind() {
        return "packets";
    }

    @Override
    boolean takes(Source source) {
        Map<String, Field.Type> types = types(source.format());
        return NEEDED.entrySet().stream().allMatch(field -> types.get(field.getKey()) == field.getValue());
    }

    private static Map<String, Field.Type> types(PayloadFormat format) {
        return format.fields().stream().collect(Collectors.toMap(Field::name, Field::type, (first, second) -> first));
    }

    @Override
    RecordPrinter printer(Source source) {
        return new PacketPrinter(source.format());
    }

    @Override
    long finish() {
        packets.begin();
        if (withoutLinkType > 0) {
            console.say("link type assumed, as the records have none: link type=" + linkType + ", packets="
                    + withoutLinkType + "; --link-type sets it");
        }
        if (withoutTime > 0) {
            console.say("packets without a time have the epoch's: packets=" + withoutTime);
        }
        if (malformed > 0) {
            console.warn("records that are no packets are left out: records=" + malformed);
        }
        return malformed;
    }

    /** Writes the packets of one source. */
    private final class PacketPrinter extends RecordPrinter {
        private final FieldReader time;
        private final FieldReader originalLength;
        private final FieldReader data;
        private final @Nullable FieldReader link;
        private final @Nullable FieldReader interfaceName;
        private final FieldBytes bytes = new FieldBytes();

        private PacketPrinter(PayloadFormat format) {
            time = Objects.requireNonNull(format.field("ts_ns"));
            originalLength = Objects.requireNonNull(format.field("len"));
            data = Objects.requireNonNull(format.field("data"));
            link = possible(format, "link");
            interfaceName = possible(format, "iface");
        }

        private static @Nullable FieldReader possible(PayloadFormat format, String name) {
            return types(format).get(name) == POSSIBLE.get(name) ? format.field(name) : null;
        }

        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            data.read(buffer, offset, length, value);
            if (value.kind() != FieldValue.Kind.BYTES || value.length() > PcapngOutput.PACKET_LENGTH_MAX) {
                malformed++;
                return;
            }
            bytes.load(value);
            int type = (int) number(link, buffer, offset, length, -1);
            if (type < 0) {
                withoutLinkType++;
                type = linkType;
            }
            time.read(buffer, offset, length, value);
            withoutTime += value.kind() == FieldValue.Kind.ABSENT ? 1 : 0;
            packets.write(
                    number(time, buffer, offset, length, 0),
                    type,
                    text(interfaceName, buffer, offset, length),
                    bytes.array(),
                    bytes.length(),
                    number(originalLength, buffer, offset, length, bytes.length()));
        }

        private long number(@Nullable FieldReader field, DirectBuffer buffer, int offset, int length, long absent) {
            if (field == null) {
                return absent;
            }
            field.read(buffer, offset, length, value);
            return value.kind() == FieldValue.Kind.INTEGER ? value.longValue() : absent;
        }

        private String text(@Nullable FieldReader field, DirectBuffer buffer, int offset, int length) {
            if (field == null) {
                return "";
            }
            field.read(buffer, offset, length, value);
            return value.text();
        }

        @Override
        public void flush() {
            // what is buffered is of no use to a reader before the next packet
        }
    }
}
