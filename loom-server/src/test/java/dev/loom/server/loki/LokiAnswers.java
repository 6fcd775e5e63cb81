package dev.loom.server.loki;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.loom.server.LoomServer;
import dev.loom.server.TestClient;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Asks a server as Loki's clients do, and reads its answers. */
final class LokiAnswers {
    private final LoomServer server;
    private final TestClient http = new TestClient();

    LokiAnswers(LoomServer server) {
        this.server = server;
    }

    /** A line of a stream. */
    record Line(long timeNs, Map<String, String> labels, String text) {}

    /** A point of a series. */
    record Point(BigDecimal seconds, Map<String, String> labels, double value) {}

    HttpResponse<String> get(String path, String... parameters) throws IOException, InterruptedException {
        return http.get(server, path(path, parameters));
    }

    HttpResponse<String> post(String path, String type, String body) throws IOException, InterruptedException {
        return http.post(server, TestClient.API, path(path), type, body);
    }

    /** A path below the API's, with parameters. */
    static String path(String path, String... parameters) {
        StringBuilder uri = new StringBuilder("/loki/api/v1/" + path);
        for (int i = 0; i < parameters.length; i += 2) {
            uri.append(i == 0 ? '?' : '&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return uri.toString();
    }

    /** The member {@code data} of an answer that must be a success. */
    Object data(String path, String... parameters) throws IOException, InterruptedException {
        HttpResponse<String> answer = get(path, parameters);
        if (answer.statusCode() != 200) {
            throw new IOException(answer.statusCode() + " " + answer.body() + " " + List.of(parameters));
        }
        return ((Map<?, ?>) parse(answer.body())).get("data");
    }

    List<Line> lines(String... parameters) throws IOException, InterruptedException {
        Map<?, ?> data = (Map<?, ?>) data("query_range", parameters);
        List<Line> lines = new ArrayList<>();
        for (Object stream : (List<?>) data.get("result")) {
            Map<?, ?> of = (Map<?, ?>) stream;
            for (Object value : (List<?>) of.get("values")) {
                List<?> pair = (List<?>) value;
                lines.add(new Line(
                        Long.parseLong(String.valueOf(pair.get(0))),
                        texts(of.get("stream")),
                        String.valueOf(pair.get(1))));
            }
        }
        return lines;
    }

    List<Point> points(String path, String... parameters) throws IOException, InterruptedException {
        Map<?, ?> data = (Map<?, ?>) data(path, parameters);
        List<Point> points = new ArrayList<>();
        for (Object series : (List<?>) data.get("result")) {
            Map<?, ?> of = (Map<?, ?>) series;
            List<?> values = of.containsKey("values") ? (List<?>) of.get("values") : List.of(of.get("value"));
            for (Object value : values) {
                List<?> pair = (List<?>) value;
                points.add(new Point(
                        (BigDecimal) pair.get(0),
                        texts(of.get("metric")),
                        Double.parseDouble(String.valueOf(pair.get(1)))));
            }
        }
        return points;
    }

    static Map<String, String> texts(Object map) {
        Map<String, String> texts = new TreeMap<>();
        ((Map<?, ?>) map).forEach((name, value) -> texts.put(String.valueOf(name), String.valueOf(value)));
        return texts;
    }

    static Object parse(String json) throws IOException {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return value(parser);
        }
    }

    private static Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> members = new TreeMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                members.put(name, value(parser));
            }
            return members;
        } else if (token == JsonToken.START_ARRAY) {
            List<Object> elements = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                elements.add(value(parser));
            }
            return elements;
        }
        return token.isNumeric() ? parser.getDecimalValue() : parser.getText();
    }
}
