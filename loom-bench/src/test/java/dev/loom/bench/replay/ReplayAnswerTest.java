package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

/** What an answer lacks, and how answers and questions become words. */
final class ReplayAnswerTest {
    private static ReplayAnswer of(long value, long... numbers) {
        final AnswerBuilder built = new AnswerBuilder();
        for (final long number : numbers) {
            built.add(number);
        }
        return built.answer(value);
    }

    @Test
    void shouldLackRecordsThatAreNotNamed() {
        final ReplayAnswer truth = of(7, 1, 2, 3, 4);
        assertEquals(0, truth.missing(of(7, 4, 3, 2, 1)));
        assertEquals(0.5, truth.missing(of(7, 4, 9, 2, 11, 12)));
        assertEquals(1, truth.missing(of(0)));
        assertEquals(truth, of(7, 4, 3, 2, 1));
        assertNotEquals(truth, of(8, 1, 2, 3, 4));
        assertNotEquals(truth, of(7, 1, 2, 3, 5));
    }

    @Test
    void shouldLackAShareOfTheCountWhenRecordsAreTooManyToName() {
        final AnswerBuilder all = new AnswerBuilder();
        final AnswerBuilder some = new AnswerBuilder();
        for (long number = 0; number < 100_000; number++) {
            all.add(number);
            if (number % 4 != 0) {
                some.add(number);
            }
        }
        assertEquals(0, all.answer(0).numbers().size());
        assertEquals(0.25, all.answer(0).missing(some.answer(0)));
        assertEquals(0.25, ReplayAnswer.ofCount(100).missing(ReplayAnswer.ofCount(75)));
        assertNotEquals(all.answer(0), some.answer(0));
    }

    @Test
    void shouldLackAValueThatIsAnother() {
        assertEquals(0, ReplayAnswer.ofValue(5).missing(ReplayAnswer.ofValue(5)));
        assertEquals(1, ReplayAnswer.ofValue(5).missing(ReplayAnswer.ofValue(4)));
    }

    @Test
    void shouldReadWhatItWrote() {
        for (final ReplayAnswer answer : new ReplayAnswer[] {of(7, 3, 1), of(0), ReplayAnswer.ofCount(9)}) {
            assertEquals(answer, ReplayAnswer.parse(answer.text()));
        }
        final ReplayPlan plan = new ReplayPlan(ReplayWorkload.REDIS, 3, 0.25, 6_000, 9, 0.1);
        assertEquals(plan, ReplayPlan.parse(plan.toString()));
        for (final ReplayQuestion question : ReplayQuestion.of(plan, 2)) {
            assertEquals(question.text(), ReplayQuestion.parse(question.text()).text());
        }
    }
}
