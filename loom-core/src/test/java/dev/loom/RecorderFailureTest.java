package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A recorder whose store takes nothing any more. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecorderFailureTest {
    @TempDir
    Path temp;

    @Test
    void shouldTellProducersWhenTheStoreIsDead() {
        Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
        Recorder recorder = Recorder.on(loom)
                .ringBytes(1 << 16)
                .closeTimeout(Duration.ofSeconds(1))
                .start();
        int id =
                recorder.defineSource("source", Formats.bytes(), Map.of(), DropPolicy.waitUpTo(Duration.ofMinutes(10)));
        loom.session().log().close();
        byte[] payload = new byte[100];
        long offered = 0;
        long status = 0;
        while (status == 0) {
            status = recorder.offer(id, payload);
            offered++;
        }
        assertEquals(PushStatus.FAILED, status);
        assertEquals(PushStatus.FAILED, recorder.offer(id, payload));
        assertFalse(recorder.sync(), "not all is in the store");
        assertNotNull(recorder.failure());
        assertEquals(offered + 1, recorder.published(id) + recorder.dropped(id, LossReason.FAILED));
        assertThrows(StoreIoException.class, recorder::close);
        recorder.close();
        assertEquals(PushStatus.FAILED, recorder.offer(id, payload));
    }
}
