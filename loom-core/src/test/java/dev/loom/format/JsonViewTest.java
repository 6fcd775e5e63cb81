package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class JsonViewTest {
    private final FieldValue.JsonView view = new FieldValue.JsonView();
    private final FieldValue element = new FieldValue();

    private static FieldValue json(String text) {
        byte[] bytes = ("??" + text + "?").getBytes(StandardCharsets.UTF_8);
        FieldValue value = new FieldValue();
        value.setBytes(FieldValue.Kind.JSON, new UnsafeBuffer(bytes), 2, bytes.length - 3);
        return value;
    }

    private List<String> elements(String text) {
        List<String> elements = new ArrayList<>();
        view.elementsOf(json(text));
        while (view.next(element)) {
            elements.add(element.kind() + " " + element.text());
        }
        return elements;
    }

    @Test
    void shouldGiveTheElementsOfAnArrayAndOfThoseWithin() {
        assertEquals(
                List.of(
                        "INTEGER 1",
                        "TEXT a\nb",
                        "BOOLEAN true",
                        "ABSENT ",
                        "JSON {\"c\":[9]}",
                        "DOUBLE 2.5",
                        "INTEGER 3"),
                elements(" [1, \"a\\nb\" ,true,null,{\"c\":[9]}, [], [[2.5],3] , [ ] ]"));
        assertEquals(List.of(), elements("[]"));
        assertEquals(List.of(), elements("[ [ ] ]"));
        assertEquals(List.of(), elements("{\"a\":1}"));
        assertEquals(List.of("INTEGER 1"), elements("[1, ?"));
    }

    @Test
    void shouldGiveTheTextAsItIsPrinted() {
        FieldValue json = json("{ \"a b\" : [1,\t\"x\\\"y\\u00e9\\\\\"] }");
        FieldValue.JsonView.visible(json, false, element);
        assertEquals("{\"a b\":[1,\"x\\\"y\\u00e9\\\\\"]}", element.text());
        FieldValue.JsonView.visible(json, true, element);
        assertEquals("{\"a b\":[1,\"x\"y\u00e9\\\"]}", element.text());
    }

    @Test
    void shouldLookAtNothingBehindTheValueWhenItIsCutShort() {
        for (String text : List.of("[\"a\\", "[\"a", "[\"", "[", "", "{\"a\\u00")) {
            FieldValue.JsonView.visible(json(text), false, element);
            elements(text);
        }
    }
}
