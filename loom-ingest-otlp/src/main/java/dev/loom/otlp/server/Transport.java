package dev.loom.otlp.server;

/** A protocol by which requests come. */
public enum Transport {
    /** gRPC, over HTTP/2. */
    GRPC,
    /** OTLP/HTTP, as protobuf or JSON. */
    HTTP
}
