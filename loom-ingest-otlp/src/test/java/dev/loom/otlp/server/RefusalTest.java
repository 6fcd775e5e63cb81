package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Base64;
import org.junit.jupiter.api.Test;

final class RefusalTest {
    /** What clients of gRPC take by default, of all headers together. */
    private static final int HEADERS_MAX = 8 * 1024;

    @Test
    void shouldFitIntoHeadersWhateverItRepeats() {
        for (String repeated : new String[] {"a", "%", "\u00E9", "\u20AC", "\uD83D\uDE00"}) {
            Refusal refusal = new Refusal(Refusal.Reason.NOT_FOUND, "no such path: path=" + repeated.repeat(8192));
            assertEquals(500, refusal.message().length());
            assertTrue(refusal.message().endsWith("..."), refusal.message());
            int headers = OtlpRefusals.percentEncoded(refusal.message()).length()
                    + Base64.getEncoder()
                            .encodeToString(StatusMessage.protobuf(refusal))
                            .length();
            assertTrue(headers < HEADERS_MAX - 500, "headers=" + headers);
        }
        String whole = "x".repeat(500);
        assertEquals(whole, new Refusal(Refusal.Reason.INTERNAL, whole).message());
    }
}
