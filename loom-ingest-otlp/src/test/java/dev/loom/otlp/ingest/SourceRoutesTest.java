package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.error.StoreIoException;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which source a resource's records go to when definitions fail. */
final class SourceRoutesTest {
    private static final int SOURCES_MAX = 2;

    @TempDir
    Path folder;

    private boolean before;
    private boolean after;

    /** Fails as a disk does, before a source is defined or between it and its indexes. */
    private final class FailingDefinitions extends SourceDefinitions {
        FailingDefinitions(Loom loom) {
            super(loom);
        }

        @Override
        int define(Signal signal, String name) {
            fail(before);
            int id = super.define(signal, name);
            fail(after);
            return id;
        }
    }

    private static void fail(boolean now) {
        if (now) {
            throw new StoreIoException("no space left on device");
        }
    }

    @Test
    void shouldCountEachSourceOnceWhateverFails() {
        try (Loom loom = Loom.open(LoomConfig.at(folder.resolve("store")).build())) {
            SourceRoutes routes =
                    new SourceRoutes(new FailingDefinitions(loom), Signal.LOGS, "service.name", SOURCES_MAX);
            before = true;
            for (int i = 0; i < 2 * SOURCES_MAX; i++) {
                assertThrows(StoreIoException.class, () -> route(routes, "first"));
            }
            before = false;
            after = true;
            assertThrows(StoreIoException.class, () -> route(routes, "first"));
            assertThrows(StoreIoException.class, () -> route(routes, "first"));
            after = false;

            assertEquals("otlp.logs.first", name(loom, route(routes, "first")));
            assertEquals("otlp.logs.second", name(loom, route(routes, "second")));
            assertFalse(routes.overflowed());
            assertEquals("otlp.logs", name(loom, route(routes, "third")));
            assertEquals("otlp.logs.first", name(loom, route(routes, "first")));
        }
    }

    private static int route(SourceRoutes routes, String service) {
        byte[] resource = ResourceLogs.newBuilder()
                .setResource(Resource.newBuilder()
                        .addAttributes(KeyValue.newBuilder()
                                .setKey("service.name")
                                .setValue(AnyValue.newBuilder().setStringValue(service))))
                .build()
                .toByteArray();
        ContextBytes context = new ContextBytes(1 << 10);
        context.enterResource(new UnsafeBuffer(resource), 0, resource.length);
        return routes.route(context);
    }

    private static String name(Loom loom, int id) {
        return loom.sources().stream()
                .filter(source -> source.id() == id)
                .findFirst()
                .orElseThrow()
                .name();
    }
}
