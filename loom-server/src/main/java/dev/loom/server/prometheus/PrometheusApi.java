package dev.loom.server.prometheus;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.prometheus.promql.EvaluationException;
import dev.loom.server.prometheus.promql.Remarks;
import dev.loom.server.prometheus.store.SeriesQuery;
import dev.loom.server.prometheus.store.TimeOverException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Answers as Prometheus does: {@code /prometheus/api/v1/...}, by GET and by POST of a form. Usable from any thread. */
public final class PrometheusApi implements HttpApi {
    private static final String ROOT = "/prometheus";
    private static final String PREFIX = ROOT + "/api/v1/";

    /** What clients get to learn whether there is a server. */
    private static final Set<String> PROBES = Set.of(ROOT, ROOT + "/", ROOT + "/-/healthy", ROOT + "/-/ready");

    private static final Route PROBE = new Probe();
    private static final String JSON = "application/json";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String LABEL = "label/";
    private static final String VALUES = "/values";

    private final StoreQueries queries;
    private final String version;

    /**
     * Prepares to answer.
     *
     * @param version of the server
     */
    public PrometheusApi(StoreQueries queries, String version) {
        this.queries = queries;
        this.version = version;
    }

    @Override
    public Set<String> names() {
        Set<String> names = new TreeSet<>(Set.of(PROBE.name()));
        for (PromQuestion question : PromQuestion.values()) {
            names.add(question.routeName());
        }
        return names;
    }

    @Override
    public @Nullable Route route(String method, String path) {
        if (PROBES.contains(path)) {
            return PROBE;
        } else if (!path.startsWith(PREFIX)) {
            return null;
        }
        String name = path.substring(PREFIX.length());
        boolean values =
                name.startsWith(LABEL) && name.endsWith(VALUES) && name.length() > LABEL.length() + VALUES.length();
        PromQuestion question = PromQuestion.of(values ? LABEL + "NAME" + VALUES : name);
        if (question == null) {
            throw ApiFailure.notFound("no such path: " + path);
        } else if (!method.equals("GET") && !method.equals("POST")) {
            throw ApiFailure.method("GET or POST", method);
        }
        return new QuestionRoute(
                question, values ? name.substring(LABEL.length(), name.length() - VALUES.length()) : "");
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

    /** Says that there is a server. */
    private static final class Probe implements Route {
        @Override
        public String name() {
            return "prometheus_probe";
        }

        @Override
        public Load load(HttpCall call) {
            return Load.LOOKUP;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            call.begin(200, "text/plain").write("ok\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    /** One of the questions. */
    private final class QuestionRoute implements Route {
        private final PromQuestion question;
        private final String label;

        /** @param label whose values are asked for */
        QuestionRoute(PromQuestion question, String label) {
            this.question = question;
            this.label = label;
        }

        @Override
        public String name() {
            return question.routeName();
        }

        @Override
        public Load load(HttpCall call) {
            return question.readsStore() ? Load.QUERY : Load.LOOKUP;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            Parameters in = new Parameters(call);
            Remarks remarks = new Remarks();
            if (question.readsStore()) {
                queries.run(call::cancelled, session -> {
                    write(read(session, call, in, remarks), call, remarks);
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

        private PreparedAnswer read(StoreQueries.Session session, HttpCall call, Parameters in, Remarks remarks)
                throws IOException {
            return session.read((store, snapshot) -> {
                try {
                    SeriesQuery query = new SeriesQuery(
                            session, snapshot, in.timeout(queries.limits().timeMax()), call::cancelled, remarks);
                    return question.answer(in, label, query, remarks);
                } catch (EvaluationException | IllegalArgumentException e) {
                    throw new ApiFailure(422, "execution", String.valueOf(e.getMessage()));
                } catch (TimeOverException e) {
                    throw new ApiFailure(504, "timeout", String.valueOf(e.getMessage()));
                }
            });
        }
    }
}
