package dev.loom.server.mcp;

import java.util.Map;

/** A message is refused with an error of JSON-RPC. */
final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int HEADER_MISMATCH = -32020;
    static final int UNSUPPORTED_VERSION = -32022;

    private final int code;
    private final int status;
    private final transient Map<String, Object> data;

    /** @param status of HTTP */
    RpcException(int code, int status, String message) {
        this(code, status, message, Map.of());
    }

    /** @param data for programs; empty for none */
    RpcException(int code, int status, String message, Map<String, Object> data) {
        super(message);
        this.code = code;
        this.status = status;
        this.data = data;
    }

    int code() {
        return code;
    }

    int status() {
        return status;
    }

    Map<String, Object> data() {
        return data;
    }
}
