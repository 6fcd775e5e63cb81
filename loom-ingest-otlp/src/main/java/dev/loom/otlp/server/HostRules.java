package dev.loom.otlp.server;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names that clients may use for the server, and the web pages that may send requests.
 *
 * <p>A web page whose own name was made to resolve to this machine (DNS rebinding) sends that name; literal addresses can't
 * be rebound.
 */
final class HostRules {
    private static final Pattern ADDRESS = Pattern.compile("\\[[0-9a-fA-F:.]+]|[0-9]{1,3}(\\.[0-9]{1,3}){3}");

    private static final String ANY = "*";

    private final Set<String> hosts;
    private final boolean anyOrigin;
    private final List<Pattern> origins;

    HostRules(List<String> allowedHosts, List<String> allowedOrigins) {
        hosts = allowedHosts.stream()
                .map(host -> host.toLowerCase(Locale.ROOT))
                .collect(Collectors.toUnmodifiableSet());
        anyOrigin = allowedOrigins.contains(ANY);
        origins = allowedOrigins.stream()
                .filter(origin -> !origin.equals(ANY))
                .map(origin ->
                        Pattern.compile(Pattern.quote(origin).replace(ANY, "\\E.*\\Q"), Pattern.CASE_INSENSITIVE))
                .toList();
    }

    /** @param host without a port; an IPv6 address in brackets */
    boolean allowsHost(String host) {
        return host.equalsIgnoreCase("localhost")
                || ADDRESS.matcher(host).matches()
                || hosts.contains(ANY)
                || hosts.contains(host.toLowerCase(Locale.ROOT));
    }

    boolean allowsOrigin(String origin) {
        return anyOrigin || listsOrigin(origin);
    }

    /** Whether an origin is allowed for what it is, and not as any is. */
    boolean listsOrigin(String origin) {
        return origins.stream().anyMatch(pattern -> pattern.matcher(origin).matches());
    }
}
