package dev.loom.otlp.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** Who else may read a token; what its file must hold is tested where servers start. */
final class BearerTokenTest {
    @Test
    void shouldLetAGroupReadATokenOfRootAlone() {
        assertEquals(
                "[]",
                BearerToken.excess(PosixFilePermissions.fromString("rw-------"), false)
                        .toString());
        assertEquals(
                "[]",
                BearerToken.excess(PosixFilePermissions.fromString("r--r-----"), true)
                        .toString());
        assertEquals(
                "[GROUP_READ]",
                BearerToken.excess(PosixFilePermissions.fromString("r--r-----"), false)
                        .toString());
        assertEquals(
                "[GROUP_WRITE, OTHERS_READ]",
                BearerToken.excess(PosixFilePermissions.fromString("r--rw-r--"), true)
                        .toString());
    }
}
