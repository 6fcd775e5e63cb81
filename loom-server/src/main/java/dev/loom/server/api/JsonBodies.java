package dev.loom.server.api;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi.Reply;
import dev.loom.server.json.JsonText;
import java.util.Map;

/** How requests of JSON objects are sent, and fail. */
public final class JsonBodies {
    /** The media type of a request. A web page can't send it to another site without a preflight request. */
    public static final String TYPE = "application/json";

    private JsonBodies() {}

    /** A failure as an object {@code error}. */
    public static Reply failure(ApiFailure failure) {
        return new Reply(TYPE, JsonText.line(Map.of("error", failure.row())).toString());
    }

    static void requirePost(String method) {
        if (!method.equals("POST")) {
            throw ApiFailure.method("POST", method);
        }
    }
}
