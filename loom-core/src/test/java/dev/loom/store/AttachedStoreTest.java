package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.HookedStorage;
import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What a reader says whose store's files can't be read. */
final class AttachedStoreTest extends StoreFixture {
    @Test
    void shouldSayThatTheSchemaCanNotBeRead() {
        boolean[] unreadable = new boolean[1];
        HookedStorage storage = new HookedStorage() {
            @Override
            public LoomFile openToRead(Path file) {
                if (unreadable[0] && file.endsWith("schema.log")) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
                return super.openToRead(file);
            }
        };
        openFirst();
        try (AttachedStore attached = AttachedStore.attach(store(), storage)) {
            for (int round = 0; round < 2; round++) {
                unreadable[0] = true;
                assertThrows(StoreIoException.class, attached::sources, "rather than that there are none");
                assertThrows(StoreIoException.class, attached::snapshot);
                unreadable[0] = false;
                assertEquals(2, attached.sources().size());
            }
        } finally {
            loom.close();
        }
    }
}
