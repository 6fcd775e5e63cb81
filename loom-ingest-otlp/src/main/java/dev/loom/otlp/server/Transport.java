package dev.loom.otlp.server;

/** The protocol of a request. */
public enum Transport {
    /** gRPC, over HTTP/2. */
    GRPC,
    /** OTLP/HTTP, as protobuf or JSON. */
    HTTP
}
