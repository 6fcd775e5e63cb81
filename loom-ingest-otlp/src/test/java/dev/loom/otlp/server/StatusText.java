package dev.loom.otlp.server;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A {@code google.rpc.Status}, read by protobuf's own reader. */
record StatusText(int code, String message, String details) {
    static StatusText parse(byte[] bytes) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(bytes);
        int code = 0;
        String message = "";
        String details = "";
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 1 -> code = in.readInt32();
                case 2 -> message = in.readStringRequireUtf8();
                case 3 -> details += new String(in.readByteArray(), StandardCharsets.ISO_8859_1);
                default -> throw new IOException("unknown field: tag=" + tag);
            }
        }
        return new StatusText(code, message, details);
    }
}
