package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class VerdictTest {
    private final StoryFixture story = new StoryFixture();

    @Test
    void shouldHoldWhenWhatWasFoundIsWhatHappened() {
        assertTrue(compare(story.ledger), story::text);
        assertFalse(story.text().contains("NOT TRUE"), story::text);
    }

    @Test
    void shouldNotHoldWhenASlowRequestWasNotFound() {
        story.requests.remove(1);
        assertNotTrue(story.ledger, 2);
    }

    @Test
    void shouldNotHoldWhenARequestWasFoundThatWasNotSlow() {
        story.requests.add(StoryFixture.request(5, 900, 130));
        assertNotTrue(story.ledger, 1);
    }

    @Test
    void shouldNotHoldWhenABadPacketWasNotFound() {
        story.packets.remove(0);
        assertNotTrue(story.ledger, 2);
    }

    @Test
    void shouldNotHoldWhenAHealthyPacketWasTakenForABadOne() {
        story.packets.add(StoryFixture.packet(40003, 500, 300, 600));
        assertNotTrue(story.ledger, 1);
    }

    @Test
    void shouldNotHoldWhenTheServerWaitedOnAnotherConnection() {
        story.waits.set(0, StoryFixture.wait(40009, 299, 250));
        assertNotTrue(story.ledger, 2);
    }

    @Test
    void shouldNotHoldWhenALongWaitWasNotFound() {
        story.waits.remove(1);
        assertNotTrue(story.ledger, 2);
    }

    @Test
    void shouldNotHoldWhenNoBadPacketMadeTheServerWait() {
        story.waits.clear();
        assertNotTrue(ledger(story.ledger.slowIds(), Set.of()), 1);
    }

    @Test
    void shouldHoldAndSaySoWhenTheMachineKeptTheServerFromItsWait() {
        story.waits.remove(1);
        assertTrue(compare(ledger(story.ledger.slowIds(), Set.of(40001))), story::text);
        assertTrue(story.text().contains("but for 1"), story::text);
    }

    @Test
    void shouldHoldWhenTheSameConnectionHadAlsoHadAWaitThatWasNotInVain() {
        story.waits.add(StoryFixture.wait(40001, 60, 130, 45));
        assertTrue(compare(story.ledger), story::text);
    }

    @Test
    void shouldNotHoldWhenTheServerWaitedAtAnotherTime() {
        story.waits.set(0, StoryFixture.wait(40001, 900, 250));
        assertNotTrue(story.ledger, 1);
    }

    @Test
    void shouldNotHoldWhenTheStoreLacksARecord() {
        Map<DemoSource, Long> recorded = new HashMap<>(StoryFixture.recorded());
        recorded.merge(DemoSource.PACKETS, 1L, Long::sum);
        assertFalse(new Verdict(story.narrator).compare(story.findings(), story.ledger, recorded));
    }

    @Test
    void shouldHoldAndSaySoWhenTheMachineItselfMadeARequestSlow() {
        story.requests.add(StoryFixture.request(5, 900, 130));
        assertTrue(compare(ledger(Set.of(5L, 17L, 640L), story.ledger.stuckPorts())), story::text);
        assertTrue(story.text().contains("1 slow besides"), story::text);
    }

    private void assertNotTrue(Ledger ledger, int lines) {
        assertFalse(compare(ledger), story::text);
        assertEquals(lines, story.text().split("NOT TRUE", -1).length - 1, story::text);
    }

    private Ledger ledger(Set<Long> slowIds, Set<Integer> stuckPorts) {
        return new Ledger(1_000, slowIds, story.ledger.mangledIds(), 2, stuckPorts, 0, 0);
    }

    private boolean compare(Ledger ledger) {
        return new Verdict(story.narrator).compare(story.findings(), ledger, StoryFixture.recorded());
    }
}
