package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import java.util.Arrays;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

final class UsualAttributeTest {
    private static final int ROUNDS = Integer.getInteger("loom.otlp.rounds", 200_000);
    private static final String LETTERS = "abc.xyz\u00e9";

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private static boolean isOne(KeyValue attribute) {
        return isOne(attribute.toByteArray());
    }

    private static boolean isOne(byte[] bytes) {
        byte[] between = new byte[bytes.length + 10];
        Arrays.fill(between, (byte) 0xFF);
        System.arraycopy(bytes, 0, between, 5, bytes.length);
        return UsualAttribute.isOne(new UnsafeBuffer(between), 5, bytes.length);
    }

    private static KeyValue of(String key, AnyValue.Builder value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    @Test
    void shouldKnowUsualAttributes() {
        for (int length : new int[] {1, 2, 7, 8, 9, 63, 123, 125}) {
            assertTrue(isOne(of("k", AnyValue.newBuilder().setStringValue("v".repeat(length)))), "length=" + length);
            assertTrue(isOne(of("k".repeat(length), AnyValue.newBuilder().setBoolValue(true))), "length=" + length);
        }
        for (long number : new long[] {1, 127, 128, Integer.MAX_VALUE, Long.MAX_VALUE, -1, Long.MIN_VALUE}) {
            assertTrue(isOne(of("k", AnyValue.newBuilder().setIntValue(number))), "number=" + number);
            assertTrue(isOne(of("k", AnyValue.newBuilder().setDoubleValue((double) number))), "number=" + number);
        }
    }

    @Test
    void shouldTakeNothingForOneThatIsMalformed() throws InvalidProtocolBufferException {
        System.out.println("UsualAttributeTest: -Dloom.test.seed=" + seed);
        int usual = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] bytes = mutated(attribute().toByteArray());
            if (isOne(bytes)) {
                usual++;
                KeyValue parsed = KeyValue.parseFrom(bytes); // or it fails here
                assertEquals(0, parsed.getKeyStrindex());
            }
        }
        assertTrue(usual > ROUNDS / 20, "usual=" + usual);
    }

    private KeyValue attribute() {
        AnyValue.Builder value = AnyValue.newBuilder();
        switch (random.nextInt(5)) {
            case 0 -> value.setStringValue(text());
            case 1 -> value.setIntValue(random.nextLong() >> random.nextInt(64));
            case 2 -> value.setDoubleValue(random.nextGaussian());
            case 3 -> value.setBoolValue(random.nextBoolean());
            default ->
                value.getArrayValueBuilder().addValues(AnyValue.newBuilder().setStringValue(text()));
        }
        return of(text(), value);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(8) == 0 ? random.nextInt(140) : random.nextInt(12);
        int letters = random.nextInt(4) == 0 ? LETTERS.length() : LETTERS.length() - 1;
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(letters)));
        }
        return text.toString();
    }

    private byte[] mutated(byte[] bytes) {
        if (bytes.length == 0) {
            return bytes;
        }
        byte[] mutated = bytes.clone();
        return switch (random.nextInt(4)) {
            case 0 -> mutated;
            case 1 -> Arrays.copyOf(mutated, random.nextInt(mutated.length + 3));
            case 2 -> {
                mutated[random.nextInt(mutated.length)] ^= (byte) (1 << random.nextInt(8));
                yield mutated;
            }
            default -> {
                mutated[random.nextInt(Math.min(mutated.length, 8))] = (byte) random.nextInt();
                yield mutated;
            }
        };
    }
}
