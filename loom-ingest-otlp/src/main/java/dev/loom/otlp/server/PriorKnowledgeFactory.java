package dev.loom.otlp.server;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 without TLS, for clients that begin with its preface. Upgrades from HTTP/1.1, which RFC 9113 (section 3.1) withdrew, are not
 * taken: Java's own client asks for one with each first request, and fails on an answer whose frames come with the response to it.
 */
final class PriorKnowledgeFactory extends HTTP2CServerConnectionFactory {
    PriorKnowledgeFactory(HttpConfiguration configuration) {
        super(configuration);
    }

    @Override
    public @Nullable Connection upgradeConnection(
            Connector connector, EndPoint endPoint, MetaData.Request request, HttpFields.Mutable response) {
        return HttpMethod.PRI.is(request.getMethod())
                ? super.upgradeConnection(connector, endPoint, request, response)
                : null;
    }
}
