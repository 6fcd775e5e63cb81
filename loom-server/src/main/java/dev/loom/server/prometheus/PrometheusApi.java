package dev.loom.server.prometheus;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.RouteTable;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Remarks;
import dev.loom.server.prometheus.store.SeriesQuery;
import dev.loom.server.prometheus.store.TimeOverException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers as Prometheus does: {@code /prometheus/api/v1/...}, by GET and by POST of a form. Usable from any thread. */
public final class PrometheusApi implements HttpApi {
    private static final String ROOT = "/prometheus";
    private static final String API = "/api/v1/";

    /** What clients get to learn whether there is a server. */
    private static final List<String> PROBES = List.of("", "/", "/-/healthy", "/-/ready");

    private static final byte[] ALIVE = "ok\n".getBytes(StandardCharsets.UTF_8);
    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";

    private final StoreQueries queries;
    private final String version;
    private final RouteTable routes = new RouteTable(ROOT, "GET", "POST");

    /**
     * Prepares to answer.
     *
     * @param version of the server
     */
    public PrometheusApi(StoreQueries queries, String version) {
        this.queries = queries;
        this.version = version;
        for (String path : PROBES) {
            routes.add(
                    "prometheus_probe",
                    Load.LOOKUP,
                    path,
                    (call, none) -> call.begin(200, "text/plain").write(ALIVE));
        }
        for (PromQuestion question : PromQuestion.values()) {
            Load load = question.readsStore() ? Load.QUERY : Load.LOOKUP;
            routes.add(
                    question.routeName(), load, API + question.path(), (call, label) -> answer(question, call, label));
        }
    }

    @Override
    public Set<String> names() {
        return routes.names();
    }

    @Override
    public @Nullable Route route(String method, String path) {
        return routes.find(method, path);
    }

    @Override
    public boolean reads(String type) {
        return type.equals(FORM);
    }

    @Override
    public Reply failure(ApiFailure failure) {
        String kind = switch (failure.status()) {
            case 404 -> "not_found";
            case 413, 422 -> "execution";
            case 429, 503 -> "unavailable";
            case 504 -> "timeout";
            case 500 -> "internal";
            default -> "bad_data";
        };
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("status", "error");
        row.put("errorType", kind);
        row.put("error", String.valueOf(failure.getMessage()));
        return new Reply(JSON, JsonText.object(row).toString());
    }

    /** @param label whose values are asked for */
    private void answer(PromQuestion question, HttpCall call, String label) throws IOException {
        Parameters in = new Parameters(call);
        Remarks remarks = new Remarks();
        if (question.readsStore()) {
            queries.run(call::cancelled, session -> {
                write(read(question, label, session, call, in, remarks), call, remarks);
                return question;
            });
        } else {
            write(question.answerWithoutStore(in, version), call, remarks);
        }
    }

    private static void write(PreparedAnswer answer, HttpCall call, Remarks remarks) throws IOException {
        AnswerWriter writer = new AnswerWriter(call.begin(200, JSON));
        answer.write(writer);
        writer.end(remarks);
    }

    private PreparedAnswer read(
            PromQuestion question,
            String label,
            StoreQueries.Session session,
            HttpCall call,
            Parameters in,
            Remarks remarks)
            throws IOException {
        return session.read((store, snapshot) -> {
            try {
                SeriesQuery query = new SeriesQuery(
                        session, store, snapshot, in.timeout(queries.limits().timeMax()), call::cancelled, remarks);
                return question.answer(in, label, query, remarks);
            } catch (EvaluationException | IllegalArgumentException e) {
                throw new ApiFailure(422, "execution", String.valueOf(e.getMessage()));
            } catch (TimeOverException e) {
                throw new ApiFailure(504, "timeout", String.valueOf(e.getMessage()));
            }
        });
    }
}
