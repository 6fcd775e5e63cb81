package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class CliRowTest {
    @Test
    void shouldReadTheValuesOfARecord() {
        CliRow row = new CliRow(
                "{\"time\":\"2026-11-21T02:46:33.399411123Z\",\"ts\":1795229193399411123,"
                        + "\"source\":\"packets\",\"addr\":65600,\"fields\":{\"op\":\"GET\",\"ret\":-1,\"data\":\"AAAB/w==\"}}");
        assertEquals(1795229193399411123L, row.integer("ts"));
        assertEquals("packets", row.text("source"));
        assertEquals(65600, row.integer("addr"));
        assertEquals("GET", row.text("op"));
        assertEquals(-1, row.integer("ret"));
        assertArrayEquals(new byte[] {0, 0, 1, (byte) 0xFF}, row.bytes("data"));
    }

    @Test
    void shouldNameWhatALineLacks() {
        CliRow row = new CliRow("{\"name\":\"requests\"}");
        IllegalStateException failure = assertThrows(IllegalStateException.class, () -> row.integer("records"));
        assertTrue(failure.getMessage().contains("records"), failure::getMessage);
    }
}
