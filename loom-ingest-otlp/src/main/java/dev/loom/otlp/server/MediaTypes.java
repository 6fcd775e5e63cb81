package dev.loom.otlp.server;

import java.util.Locale;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** Content types of requests and answers. */
final class MediaTypes {
    static final String PROTOBUF = "application/x-protobuf";
    static final String JSON = "application/json";
    static final String GRPC = "application/grpc";

    private MediaTypes() {}

    /** A request's content type without parameters; empty if there is none. */
    static String of(Request request) {
        String value = request.getHeaders().get(HttpHeader.CONTENT_TYPE);
        if (value == null) {
            return "";
        }
        int semicolon = value.indexOf(';');
        return (semicolon < 0 ? value : value.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
    }

    static boolean isGrpc(String type) {
        return type.equals(GRPC) || type.startsWith("application/grpc+") || type.startsWith("application/grpc-");
    }
}
