package dev.loom.value;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of bins against their definition in exact arithmetic, at every edge and at random values. */
class BinScaleTest {
    private static final int VALUES = 2_000;
    private static final List<String> ANY_TYPE = List.of(
            "linear:0,1000,100",
            "linear:0.5,1000000.25,77",
            "edges:0",
            "edges:10,15,20",
            "edges:0.5,2,7.25",
            "edges:9007199254740991,9007199254740992,9007199254740994",
            "edges:1795229193399411123,1795229193399422123",
            "edges:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,1000,1001,9223372036854775807",
            "match:0",
            "match:200",
            "match:9007199254740992");
    private static final List<String> I64 = List.of(
            "linear:9007199254740991,9007199254740995,4",
            "linear:1795229193399411123,1795229193399412123,1000",
            "linear:-9223372036854775808,9223372036854775807,3",
            "linear:-9223372036854775808,9223372036854775807,65536",
            "linear:-7.5,7.5,15",
            "edges:-9223372036854775808",
            "edges:-9223372036854775808,0,9223372036854775807",
            "match:9223372036854775807",
            "match:-9223372036854775808",
            "match:-1");
    private static final List<String> U64 = List.of(
            "linear:0,18446744073709551615,1000",
            "linear:9007199254740991,9007199254740995,4",
            "linear:1795229193399411123,1795229193399412123,1000",
            "linear:9223372036854775807,18446744073709551615,10",
            "edges:9223372036854775807,9223372036854775808,18446744073709551615",
            "match:18446744073709551615",
            "match:9223372036854775808");
    private static final List<String> F64 = List.of(
            "linear:0,1,10",
            "linear:-1,1,3",
            "linear:-8e307,8e307,1001",
            "linear:0.1,0.7,6",
            "linear:1e-300,2e-300,64",
            "edges:-1.7976931348623157e308,-4.9e-324,0,4.9e-324,0.1,0.3,1.7976931348623157e308",
            "match:0.1",
            "match:-0.0",
            "match:1.7976931348623157e308");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeEach
    void printSeed() {
        System.out.println("BinScaleTest: -Dloom.test.seed=" + seed);
    }

    static Stream<Arguments> everyScale() {
        Stream<Arguments> logLinear = Stream.of(0, 1, 2, 3, 4, 5, 6)
                .flatMap(scale -> Stream.of(ValueType.values()).map(type -> Arguments.of("log-linear:" + scale, type)));
        Stream<Arguments> shared =
                ANY_TYPE.stream().flatMap(text -> Stream.of(ValueType.values()).map(type -> Arguments.of(text, type)));
        Stream<Arguments> own = Stream.of(ValueType.values())
                .flatMap(type -> (switch (type) {
                            case I64 -> I64;
                            case U64 -> U64;
                            case F64 -> F64;
                        })
                        .stream().map(text -> Arguments.of(text, type)));
        return Stream.concat(logLinear, Stream.concat(shared, own));
    }

    @ParameterizedTest
    @MethodSource("everyScale")
    void shouldCoverEveryKeyWithoutGapOrOverlap(String text, ValueType type) {
        BinScale scale = BinScale.of(Bins.parse(text), type);
        assertEquals(type.lowestKey(), scale.lowKey(0));
        assertEquals(type.highestKey(), scale.highKey(scale.count() - 1));
        for (int bin = 0; bin < scale.count(); bin++) {
            long low = scale.lowKey(bin);
            long high = scale.highKey(bin);
            boolean follows = bin == 0 || scale.highKey(bin - 1) + 1 == low;
            boolean empty = low == high + 1 && type == ValueType.F64;
            boolean found = empty || (scale.bin(low) == bin && scale.bin(high) == bin);
            if (!follows || !found) {
                fail("bin=" + bin + ", low=" + low + ", high=" + high);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everyScale")
    void shouldPutEveryValueWhereExactArithmeticDoes(String text, ValueType type) {
        Bins bins = Bins.parse(text);
        BinScale scale = BinScale.of(bins, type);
        for (int i = 0; i < VALUES; i++) {
            long key = randomKey(type, scale);
            int bin = scale.bin(key);
            assertTrue(
                    scale.lowKey(bin) <= key && key <= scale.highKey(bin),
                    () -> "seed=" + seed + " " + text + " key=" + key);
            if (bins.form() != Bins.Form.LOG_LINEAR && i < 300) {
                int outlier = reachedByAll(bins.edges().get(0), type) ? 1 : 0;
                assertEquals(edgesUpTo(bins, type, key) - outlier, bin, () -> "seed=" + seed + " " + text + " " + key);
            }
        }
    }

    private static boolean reachedByAll(BigDecimal edge, ValueType type) {
        return switch (type) {
            case I64 -> edge.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) == 0;
            case U64 -> edge.signum() == 0;
            case F64 -> false;
        };
    }

    private long randomKey(ValueType type, BinScale scale) {
        long key = switch (random.nextInt(4)) {
            case 0 -> scale.lowKey(random.nextInt(scale.count())) + random.nextInt(3) - 1;
            case 1 -> type.key(random.nextLong() >> random.nextInt(64));
            case 2 -> type.key(special(type)) + random.nextInt(5) - 2;
            default ->
                type == ValueType.F64
                        ? ValueType.doubleKey(random.nextInt(2_000) / 10.0)
                        : type.key(random.nextInt(2_000));
        };
        return Math.max(type.lowestKey(), Math.min(type.highestKey(), key));
    }

    private long special(ValueType type) {
        long[] integers = {0, 1L << 53, 1_795_229_193_399_411_123L, Long.MAX_VALUE, Long.MIN_VALUE, -1};
        double[] doubles = {0, 0x1p53, 0x1.8ep60, Double.MAX_VALUE, Double.MIN_VALUE, Double.MIN_NORMAL};
        int i = random.nextInt(integers.length);
        double sign = random.nextBoolean() ? 1 : -1;
        return type == ValueType.F64 ? Double.doubleToRawLongBits(sign * doubles[i]) : integers[i];
    }

    /** How many edges a value has reached, which is the number of its bin. */
    private static int edgesUpTo(Bins bins, ValueType type, long key) {
        if (bins.form() == Bins.Form.LINEAR) {
            BigDecimal min = bins.edges().get(0);
            BigDecimal width = bins.edges().get(1).subtract(min);
            int reached = 0;
            int from = 0;
            int to = bins.count();
            while (from <= to) { // the last i whose edge is reached, by halving
                int i = (from + to) / 2;
                BigDecimal edge = min.add(width.multiply(BigDecimal.valueOf(i))
                        .divide(BigDecimal.valueOf(bins.count()), new MathContext(60, RoundingMode.HALF_EVEN)));
                if (reaches(type, key, edge, width.multiply(BigDecimal.valueOf(i)), min, bins.count())) {
                    reached = i + 1;
                    from = i + 1;
                } else {
                    to = i - 1;
                }
            }
            return reached;
        }
        int reached = 0;
        for (BigDecimal edge : bins.edges()) {
            reached += reaches(type, key, edge, edge, BigDecimal.ZERO, 1) ? 1 : 0;
        }
        boolean above = bins.form() == Bins.Form.MATCH
                && reached == 1
                && !isEqual(type, key, bins.edges().get(0));
        return reached + (above ? 1 : 0);
    }

    /** Whether {@code key >= edge}: exactly {@code value >= min + part / count}, or in doubles after rounding the edge. */
    private static boolean reaches(
            ValueType type, long key, BigDecimal edge, BigDecimal part, BigDecimal min, int count) {
        if (type == ValueType.F64) {
            return ValueType.doubleOf(key) >= edge.doubleValue();
        }
        return exact(type, key)
                        .subtract(min)
                        .multiply(BigDecimal.valueOf(count))
                        .compareTo(part)
                >= 0;
    }

    private static boolean isEqual(ValueType type, long key, BigDecimal value) {
        return type == ValueType.F64
                ? ValueType.doubleOf(key) == value.doubleValue()
                : exact(type, key).compareTo(value) == 0;
    }

    private static BigDecimal exact(ValueType type, long key) {
        return type == ValueType.I64
                ? BigDecimal.valueOf(key)
                : new BigDecimal(BigInteger.valueOf(key).add(BigInteger.ONE.shiftLeft(63)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 6})
    void shouldCutPowersOfTwoOfIntegersIntoEqualBins(int scale) {
        BinScale signed = BinScale.of(Bins.logLinear(scale), ValueType.I64);
        BinScale unsigned = BinScale.of(Bins.logLinear(scale), ValueType.U64);
        int bin = 0;
        BigInteger low = BigInteger.ZERO;
        while (low.bitLength() <= 64) {
            int width = Math.max(0, low.bitLength() - 1 - scale);
            BigInteger next = low.add(BigInteger.ONE.shiftLeft(width));
            assertEquals(low.longValue(), ValueType.U64.bits(unsigned.lowKey(bin)));
            assertEquals(next.longValue() - 1, ValueType.U64.bits(unsigned.highKey(bin)));
            if (low.bitLength() <= 63) {
                int zero = signed.count() / 2;
                assertEquals(low.longValue(), signed.lowKey(zero + bin));
                assertEquals(~low.longValue(), signed.highKey(zero - 1 - bin));
            }
            low = next;
            bin++;
        }
        assertEquals(bin, unsigned.count());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 6})
    void shouldHaveTheBucketsOfAnExponentialHistogram(int scale) {
        BinScale bins = BinScale.of(Bins.logLinear(scale), ValueType.F64);
        int zero = bins.count() / 2;
        assertEquals(zero, bins.bin(ValueType.doubleKey(0.0)));
        assertEquals(zero, bins.bin(ValueType.doubleKey(-0.0)));
        assertEquals(0, bins.bin(ValueType.doubleKey(Double.NEGATIVE_INFINITY)));
        assertEquals(bins.count() - 1, bins.bin(ValueType.doubleKey(Double.POSITIVE_INFINITY)));
        int one = bins.bin(ValueType.doubleKey(Math.nextUp(1.0))); // in bucket 0
        for (int i = 0; i < 1_500; i++) {
            double value = randomMagnitude(scale);
            long bucket = bucket(value, scale);
            assertEquals(bucket, bins.bin(ValueType.doubleKey(value)) - one, () -> "seed=" + seed + " " + value);
            int negative = bins.bin(ValueType.doubleKey(-value));
            assertEquals(bucket, 2L * zero - negative - one, () -> "seed=" + seed + " " + -value);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6})
    void shouldEndEachBucketOfAPowerOfTwoAtTheExactDouble(int scale) {
        BinScale bins = BinScale.of(Bins.logLinear(scale), ValueType.F64);
        int one = bins.bin(ValueType.doubleKey(Math.nextUp(1.0)));
        for (int i = 0; i < 1 << scale; i++) {
            double last = ValueType.doubleOf(bins.highKey(one + i));
            assertEquals(i, bucket(last, scale));
            assertEquals(i + 1, bucket(Math.nextUp(last), scale));
            assertEquals(one + i, bins.bin(ValueType.doubleKey(last)));
            assertEquals(one + i + 1, bins.bin(ValueType.doubleKey(Math.nextUp(last))));
        }
    }

    private double randomMagnitude(int scale) {
        double value = switch (random.nextInt(4)) {
            case 0 -> Double.longBitsToDouble(random.nextLong() & Long.MAX_VALUE);
            case 1 -> Double.MIN_VALUE * random.nextInt(1_000);
            case 2 -> Math.scalb(1.0, random.nextInt(2_097) - 1_074);
            default -> Math.pow(2, (random.nextInt(4_000) - 2_000) / (double) (1 << scale));
        };
        value = random.nextBoolean() ? value : random.nextBoolean() ? Math.nextUp(value) : Math.nextDown(value);
        return value > 0 && value <= Double.MAX_VALUE ? value : 1;
    }

    /** The least i with {@code value^(2^scale) <= 2^(i + 1)}, in whole numbers. */
    private static long bucket(double value, int scale) {
        BigDecimal exact = new BigDecimal(value);
        BigInteger mantissa = exact.unscaledValue();
        // value = mantissa * 10^-d = mantissa * 5^-d * 2^-d, and the mantissa has the 5s
        int binary = -exact.scale();
        BigInteger odd = exact.scale() > 0
                ? mantissa.divide(BigInteger.valueOf(5).pow(exact.scale()))
                : mantissa.multiply(BigInteger.valueOf(5).pow(-exact.scale()));
        BigInteger power = odd.pow(1 << scale);
        long upper = power.subtract(BigInteger.ONE).bitLength() + ((long) binary << scale);
        return upper - 1;
    }

    @Test
    void shouldHaveFigure8sBins() {
        BinScale scale = BinScale.of(Bins.edges(10, 15, 20), ValueType.I64);
        int[] bins = {14, 10, 13, 9, 11, 23, 6, 12, 15, 19, 20};
        int[] expected = {1, 1, 1, 0, 1, 3, 0, 1, 2, 2, 3};
        for (int i = 0; i < bins.length; i++) {
            assertEquals(expected[i], scale.bin(bins[i]));
        }
        assertEquals(4, scale.count());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "edges:9223372036854775808; I64",
                "edges:-9223372036854775809; I64",
                "edges:-1; U64",
                "edges:18446744073709551616; U64",
                "edges:1e309; F64",
                "edges:0.25,0.5; I64",
                "edges:1,1.00000000000000001; F64",
                "match:0.5; I64",
                "match:-1; U64",
                "linear:0,10,11; I64",
                "linear:0,1e19,2; I64",
                "linear:-1,1,2; U64",
                "linear:0,1e-320,2; F64",
                "linear:-1e308,1e308,2; F64",
                "linear:1,1.000000000000001,65536; F64",
            })
    void shouldRefuseBinsWhenTheyDontSuitTheType(String text, ValueType type) {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> BinScale.of(Bins.parse(text), type));
        assertTrue(e.getMessage().contains("="), e.getMessage());
    }
}
