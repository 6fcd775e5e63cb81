package dev.loom.server.json;

import dev.loom.otlp.export.OtlpBatch;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.Set;
import org.agrona.DirectBuffer;

/** The messages of records that there were so far, by their digests: about 100 bytes each. For one thread. */
final class SentOnce {
    private final MessageDigest digest;
    private final Set<Digest> seen = new HashSet<>();
    private Digest last = new Digest(0, 0);

    /** The first half of a SHA-256. */
    private record Digest(long high, long low) {}

    SentOnce() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }

    /** Whether a record's message was added. */
    boolean has(DirectBuffer buffer, int offset, int length) {
        byte[] message = new byte[Math.max(0, length - OtlpBatch.MESSAGE_OFFSET)];
        buffer.getBytes(offset + length - message.length, message);
        ByteBuffer found = ByteBuffer.wrap(digest.digest(message));
        last = new Digest(found.getLong(), found.getLong());
        return seen.contains(last);
    }

    /** Adds the message that was asked for last. */
    void add() {
        seen.add(last);
    }
}
