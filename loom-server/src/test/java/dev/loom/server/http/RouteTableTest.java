package dev.loom.server.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RouteTableTest {
    /** Nothing is asked of a call. */
    private static final HttpCall CALL = (HttpCall) Proxy.newProxyInstance(
            HttpCall.class.getClassLoader(), new Class<?>[] {HttpCall.class}, (call, method, arguments) -> {
                throw new AssertionError(method.getName());
            });

    private final List<String> answered = new ArrayList<>();
    private final RouteTable table = new RouteTable("/api/", "GET", "POST")
            .add("names", Load.LOOKUP, "names", (call, part) -> answered.add("names " + part))
            .add("values", Load.QUERY, "name/*/values", (call, part) -> answered.add("values " + part))
            .add("items", Load.QUERY, "items/*", (call, part) -> answered.add("items " + part))
            .add("root", Load.LOOKUP, "", (call, part) -> answered.add("root " + part));

    private Route found(String method, String path) {
        return Objects.requireNonNull(table.find(method, path));
    }

    @ParameterizedTest
    @CsvSource({
        "/api/names, names, 'names '",
        "/api/name/a/values, values, values a",
        "/api/name/values/values, values, values values",
        "/api/items/1, items, items 1",
        "/api/, root, 'root '",
    })
    void shouldFindTheRouteAndItsPart(String path, String name, String answer) throws Exception {
        for (String method : List.of("GET", "POST")) {
            assertEquals(name, found(method, path).name());
            found(method, path).answer(CALL);
        }
        assertEquals(List.of(answer, answer), answered);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/name/values",
                "/api/name//values",
                "/api/name/a/b/values",
                "/api/items//",
                "/api/items/1/2",
                "/api/items/",
                "/api/items",
                "/api/other",
                "/api/names/",
                "/api/xnames"
            })
    void shouldFindNothingWhenNoPathFits(String path) {
        ApiFailure missing = assertThrows(ApiFailure.class, () -> table.find("GET", path));
        assertEquals(404, missing.status());
        assertEquals("no such path: " + path, missing.getMessage());
    }

    @Test
    void shouldLeaveOtherPathsToOthers() {
        assertNull(table.find("GET", "/apis"));
        assertNull(table.find("DELETE", "/"));
    }

    @Test
    void shouldRefuseOtherMethods() {
        ApiFailure refused = assertThrows(ApiFailure.class, () -> table.find("PUT", "/api/names"));
        assertEquals(405, refused.status());
        assertEquals("method is not GET or POST: PUT", refused.getMessage());
        ApiFailure missing = assertThrows(ApiFailure.class, () -> table.find("PUT", "/api/none"));
        assertEquals(404, missing.status());
    }

    @Test
    void shouldSayHowMuchRequestsTake() {
        assertEquals(Set.of("names", "values", "items", "root"), table.names());
        assertEquals(Load.LOOKUP, found("GET", "/api/names").load(CALL));
        assertEquals(Load.QUERY, found("GET", "/api/items/1").load(CALL));
    }
}
