package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Writes a refusal in the form of the request's protocol: a gRPC status, or {@code google.rpc.Status} in the request's
 * encoding.
 */
final class OtlpRefusals implements RefusalWriter {
    @Override
    public void refuse(Request request, Response response, Callback callback, Refusal refusal) {
        String type = MediaTypes.of(request);
        if (MediaTypes.isGrpc(type)) {
            refuseCall(response, callback, refusal);
        } else {
            refuseRequest(type, response, callback, refusal);
        }
    }

    /** Only headers, which gRPC treats as headers and trailers in one. */
    private static void refuseCall(Response response, Callback callback, Refusal refusal) {
        HttpFields.Mutable headers = response.getHeaders();
        headers.put(HttpHeader.CONTENT_TYPE, MediaTypes.GRPC);
        headers.put("grpc-status", Integer.toString(refusal.reason().grpcStatus()));
        headers.put("grpc-message", percentEncoded(refusal.message()));
        headers.put(
                "grpc-status-details-bin",
                Base64.getEncoder().withoutPadding().encodeToString(StatusMessage.protobuf(refusal)));
        if (refusal.reason() == Reason.UNSUPPORTED_ENCODING) {
            headers.put("grpc-accept-encoding", ContentEncoding.NAMES);
        }
        response.write(true, ByteBuffer.allocate(0), callback);
    }

    private static void refuseRequest(String type, Response response, Callback callback, Refusal refusal) {
        byte[] content;
        HttpFields.Mutable headers = response.getHeaders();
        if (type.equals(MediaTypes.JSON)) {
            headers.put(HttpHeader.CONTENT_TYPE, MediaTypes.JSON);
            content = StatusMessage.json(refusal).getBytes(StandardCharsets.UTF_8);
        } else if (type.equals(MediaTypes.PROTOBUF)) {
            headers.put(HttpHeader.CONTENT_TYPE, MediaTypes.PROTOBUF);
            content = StatusMessage.protobuf(refusal);
        } else {
            headers.put(HttpHeader.CONTENT_TYPE, "text/plain;charset=utf-8");
            content = (refusal.message() + "\n").getBytes(StandardCharsets.UTF_8);
        }
        headers.put(HttpHeader.CONTENT_LENGTH, content.length);
        if (!refusal.retryDelay().isZero()) {
            headers.put(
                    HttpHeader.RETRY_AFTER, refusal.retryDelay().plusMillis(999).toSeconds());
        }
        switch (refusal.reason()) {
            case UNAUTHENTICATED -> headers.put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
            case METHOD_NOT_ALLOWED -> headers.put(HttpHeader.ALLOW, "POST");
            case UNSUPPORTED_ENCODING -> headers.put(HttpHeader.ACCEPT_ENCODING, ContentEncoding.NAMES);
            default -> {}
        }
        response.setStatus(refusal.reason().httpStatus());
        response.write(true, ByteBuffer.wrap(content), callback);
    }

    /** As the protocol requires: printable ASCII except {@code %} stays as it is. */
    static String percentEncoded(String message) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
            if (b >= ' ' && b <= '~' && b != '%') {
                encoded.append((char) b);
            } else {
                encoded.append(String.format("%%%02X", b));
            }
        }
        return encoded.toString();
    }
}
