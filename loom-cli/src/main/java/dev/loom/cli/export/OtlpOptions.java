package dev.loom.cli.export;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.option.TypedOptions;
import dev.loom.otlp.file.FileFailure;
import dev.loom.otlp.tls.ClientTls;
import dev.loom.query.where.Quantity;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Options of an export to a receiver of OTLP. */
final class OtlpOptions {
    private static final Duration FIRST_DELAY = Duration.ofMillis(500);
    private static final Duration LONGEST_DELAY = Duration.ofSeconds(30);
    /** A header's name (RFC 9110). */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final List<String> OF_ENDPOINT =
            List.of("--header", "--compression", "--retry-for", "--tls-ca", "--tls-cert", "--tls-key");

    /** How requests are compressed. */
    enum Compression {
        NONE,
        GZIP;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--endpoint",
            paramLabel = "URL",
            description = "For otlp: sends the records to this receiver, such as http://localhost:4318, instead of"
                    + " writing a file.")
    private @Nullable String endpoint;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            description = "A header of each request to the endpoint; repeatable.")
    private List<String> headers = new ArrayList<>();

    @Option(
            names = "--compression",
            paramLabel = "KIND",
            description = "Compresses requests to the endpoint: ${COMPLETION-CANDIDATES}; by default none.")
    private Compression compression = Compression.NONE;

    @Option(
            names = "--retry-for",
            paramLabel = "DURATION",
            description = "How long to retry a request that the endpoint does not accept; by default 5m.")
    private String retryFor = "5m";

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            description = "CA certificates that must have signed the endpoint's, PEM; by default the JDK's.")
    private @Nullable Path caFile;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            description = "The client's certificate chain, PEM, if the endpoint requires one.")
    private @Nullable Path certFile;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "That certificate's private key, PEM.")
    private @Nullable Path keyFile;

    boolean given() {
        return endpoint != null;
    }

    /**
     * Checks all options.
     *
     * @param wanted whether there is an endpoint to send to
     */
    void requireSense(boolean wanted) {
        if (wanted) {
            uri();
            headers();
            policy();
            tls();
            if (encrypted()) {
                tlsContext();
            }
        } else if (OF_ENDPOINT.stream().anyMatch(option -> TypedOptions.contains(command, option))) {
            throw CommandFailure.usage("--header, --compression, --retry-for and --tls-... are for --endpoint");
        }
    }

    /** Whether the command line names an endpoint. */
    boolean typedEndpoint() {
        return TypedOptions.contains(command, "--endpoint");
    }

    /** The command line that the options are of. */
    ParseResult typed() {
        return Objects.requireNonNull(command).commandLine().getParseResult();
    }

    /** The address, to which the signal's path is added. */
    URI uri() {
        String text = String.valueOf(endpoint);
        try {
            URI uri = new URI(text.replaceAll("/+$", ""));
            boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            boolean plain = uri.getQuery() == null && uri.getFragment() == null && uri.getUserInfo() == null;
            if (http && plain && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // as any other text that is none
        }
        throw CommandFailure.usage("--endpoint is not of the form http://HOST:PORT or https://HOST:PORT: " + text);
    }

    Map<String, String> headers() {
        Map<String, String> parsed = new LinkedHashMap<>();
        for (String header : headers) {
            int at = header.indexOf('=');
            if (at <= 0) {
                // the value may be a secret
                throw CommandFailure.usage("--header is not of the form NAME=VALUE");
            }
            String name = header.substring(0, at).strip();
            String value = header.substring(at + 1).strip();
            requireHeader(name, value);
            parsed.put(name, value);
        }
        return parsed;
    }

    private void requireHeader(String name, String value) {
        if (!TOKEN.matcher(name).matches()) {
            // it may hold a secret, as where a colon is written in place of the sign
            throw CommandFailure.usage("--header: the name can't be sent; a header is of the form NAME=VALUE");
        }
        HttpRequest.Builder request = HttpRequest.newBuilder();
        try {
            request.setHeader(name, "");
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--header: " + e.getMessage());
        }
        try {
            request.setHeader(name, value);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--header: the value can't be sent: name=" + name); // it may be a secret
        }
    }

    boolean compressed() {
        return compression == Compression.GZIP;
    }

    RetryPolicy policy() {
        try {
            return new RetryPolicy(
                    FIRST_DELAY,
                    LONGEST_DELAY,
                    Quantity.duration(retryFor),
                    () -> ThreadLocalRandom.current().nextDouble());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--retry-for: " + e.getMessage());
        }
    }

    private ClientTls tls() {
        try {
            return new ClientTls(caFile, certFile, keyFile);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    boolean encrypted() {
        return uri().getScheme().equals("https");
    }

    SSLContext tlsContext() {
        try {
            return tls().context();
        } catch (IOException e) {
            throw CommandFailure.usage(FileFailure.describe(e));
        }
    }

    @Override
    public String toString() {
        return String.valueOf(endpoint);
    }
}
