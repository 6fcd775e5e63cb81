package dev.loom.server.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One of the APIs that share the API port. Usable from any thread. */
public interface HttpApi {
    /** The names of all its routes. */
    Set<String> names();

    /**
     * The route of a path; null if the path is not of this API.
     *
     * @param path without parameters, decoded
     * @throws ApiFailure if the path has no such method, or is of this API and nothing is there
     */
    @Nullable
    Route route(String method, String path);

    /**
     * Whether a body of this type is read. Only types that a web page can't send without asking first keep foreign pages from
     * changing anything.
     *
     * @param type the media type in lower case, without parameters; empty if there is none
     */
    boolean reads(String type);

    /** A failure as clients of this API expect it. */
    Reply failure(ApiFailure failure);

    /**
     * A short whole answer.
     *
     * @param type its media type
     */
    record Reply(String type, String text) {}
}
