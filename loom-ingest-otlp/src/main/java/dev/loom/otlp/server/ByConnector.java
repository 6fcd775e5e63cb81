package dev.loom.otlp.server;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** Passes each request to the handler of the endpoint at which it arrived. */
final class ByConnector extends Handler.Abstract.NonBlocking {
    private final Map<Connector, Handler> handlers = new HashMap<>();

    void add(Connector connector, Handler handler) {
        handlers.put(connector, handler);
        addBean(handler);
    }

    @Override
    public void setServer(Server server) {
        super.setServer(server);
        handlers.values().forEach(handler -> handler.setServer(server));
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Handler handler = handlers.get(request.getConnectionMetaData().getConnector());
        return handler != null && handler.handle(request, response, callback);
    }
}
