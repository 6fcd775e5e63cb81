package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class VerdictTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @Test
    void shouldHoldWhenWhatWasFoundIsWhatHappened() {
        assertNotTrue(0, compare(findings(Set.of(17L, 640L), Set.of(17L, 640L))));
    }

    @Test
    void shouldNotHoldWhenASlowRequestWasNotFound() {
        assertNotTrue(2, compare(findings(Set.of(17L), Set.of(17L, 640L))));
    }

    @Test
    void shouldNotHoldWhenARequestWasFoundThatWasNotSlow() {
        assertNotTrue(1, compare(findings(Set.of(5L, 17L, 640L), Set.of(17L, 640L))));
    }

    @Test
    void shouldNotHoldWhenADamagedPacketWasNotFound() {
        assertNotTrue(1, compare(findings(Set.of(17L, 640L), Set.of(640L))));
    }

    @Test
    void shouldNotHoldWhenAHealthyPacketWasTakenForADamagedOne() {
        assertNotTrue(2, compare(findings(Set.of(17L, 640L), Set.of(17L, 640L, 5L))));
    }

    @Test
    void shouldNotHoldWhenTheStoreLacksARecord() {
        Verdict verdict = new Verdict(narrator()).records("requests", 1_001, findings(Set.of(), Set.of()));
        assertNotTrue(1, verdict);
    }

    @Test
    void shouldHoldAndSaySoWhenTheMachineItselfMadeARequestSlow() {
        Story.Findings findings = findings(Set.of(5L, 17L, 640L), Set.of(17L, 640L));
        Verdict verdict =
                new Verdict(narrator()).slow(Set.of(5L, 17L, 640L), findings).damaged(Set.of(17L, 640L), findings);
        assertNotTrue(0, verdict);
        assertTrue(text().contains("1 more were slow"), this::text);
    }

    private Verdict compare(Story.Findings findings) {
        return new Verdict(narrator())
                .records("requests", 1_000, findings)
                .slow(Set.of(17L, 640L), findings)
                .damaged(Set.of(17L, 640L), findings);
    }

    private static Story.Findings findings(Set<Long> slow, Set<Long> damaged) {
        return new Story.Findings(Map.of("requests", 1_000L), slow, damaged);
    }

    private void assertNotTrue(int lines, Verdict verdict) {
        assertEquals(lines, text().split("NOT TRUE", -1).length - 1, this::text);
        assertEquals(lines == 0, verdict.holds());
    }

    private Narrator narrator() {
        return new Narrator(new PrintStream(printed, true, StandardCharsets.UTF_8), 80, false);
    }

    private String text() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
