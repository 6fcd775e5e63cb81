package dev.loom.server.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.http.ApiFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AnswerFormTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|JSON_LINES",
                "*/*|JSON_LINES",
                "application/*|JSON_LINES",
                "application/jsonl|JSON_LINES",
                "text/*|CSV",
                "Text/CSV; charset=utf-8|CSV",
                "text/csv, */*|CSV",
                "*/*, text/csv|CSV",
                "text/csv;q=0.5, */*|JSON_LINES",
                "text/csv;q=0.5, application/json;q=0.501|JSON_ARRAY",
                "application/json, text/plain, */*|JSON_ARRAY",
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8|JSON_LINES",
                "application/vnd.apache.arrow.stream;q=1.000,application/jsonl;q=0.999|ARROW",
                "application/jsonl;q=0, */*;q=0.1|JSON_ARRAY",
                "text/csv;q=0.1232, */*;q=0.1233|JSON_LINES",
                "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2|JSON_LINES",
                "text/csv , , ;|CSV"
            })
    void shouldTakeTheFormThatTheClientPrefers(String accept, AnswerForm expected) {
        assertEquals(expected, AnswerForm.of(accept));
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/html", "*", "csv", "text", "application/json;q=0", "text/csvx", "/*", ",", "\u0000"})
    void shouldRefuseFormsThatAreNotOffered(String accept) {
        ApiFailure failure = assertThrows(ApiFailure.class, () -> AnswerForm.of(accept));
        assertEquals(406, failure.status());
        assertTrue(
                String.valueOf(failure.getMessage())
                        .endsWith("; offered=application/jsonl, application/json, text/csv,"
                                + " application/vnd.apache.arrow.stream"),
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/csv;q=2",
                "text/csv;q=-1",
                "a/b;q=x",
                "text/csv;q=",
                "*/*;q",
                "*/*;q=1e9",
                "*/*;q=.",
                "*/*;q=1.01"
            })
    void shouldRefuseWeightsThatAreNone(String accept) {
        ApiFailure failure = assertThrows(ApiFailure.class, () -> AnswerForm.of(accept));
        assertEquals(400, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).contains("weight that is not from 0 to 1"), accept);
    }

    @Test
    void shouldRefuseALongHeader() {
        ApiFailure failure = assertThrows(ApiFailure.class, () -> AnswerForm.of("a/b,".repeat(1_025)));
        assertEquals(400, failure.status());
    }
}
