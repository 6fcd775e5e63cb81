package dev.loom.server.api;

import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.json.JsonText;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.request.RefusedException;
import dev.loom.server.text.JsonObject;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads and changes the schema: {@code POST /v1/schema}. Usable from any thread. */
public final class SchemaApi implements HttpApi, Route {
    private static final String NAME = "schema";
    private static final String PATH = "/v1/schema";

    private final SchemaRequests schema;

    public SchemaApi(SchemaRequests schema) {
        this.schema = schema;
    }

    @Override
    public Set<String> names() {
        return Set.of(NAME);
    }

    @Override
    public @Nullable Route route(String method, String path) {
        if (!path.equals(PATH)) {
            return null;
        }
        JsonBodies.requirePost(method);
        return this;
    }

    @Override
    public boolean reads(String type) {
        return type.equals(JsonBodies.TYPE);
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return JsonBodies.failure(failure);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Load load(HttpCall call) {
        return Load.LOOKUP;
    }

    @Override
    public void answer(HttpCall call) throws IOException {
        TextBuffer text = answer(call.body());
        call.begin(200, JsonBodies.TYPE).write(text.array(), 0, text.length());
    }

    private TextBuffer answer(byte[] body) {
        try {
            return JsonText.line(schema.answer(JsonObject.parse(body)));
        } catch (RefusedException e) {
            throw ApiFailure.of(e);
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        } catch (StoreIoException | StoreReopenedException | IllegalStateException e) {
            throw new ApiFailure(503, "unavailable", String.valueOf(e.getMessage()));
        } catch (LoomException e) {
            throw new ApiFailure(500, "store", String.valueOf(e.getMessage()));
        }
    }
}
