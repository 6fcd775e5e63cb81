package dev.loom.format;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/** The tests' class loader with another services file: it alone finds the named providers, be they there or not. */
public final class ProvidingLoader extends ClassLoader {
    private final String services;

    public ProvidingLoader(String... providers) {
        super(ProvidingLoader.class.getClassLoader());
        services = String.join("\n", providers);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        if (!name.endsWith(PayloadFormatProvider.class.getName())) {
            return super.getResources(name);
        }
        return Collections.enumeration(List.of(new URL("memory", null, 0, "/services", new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL url) {
                return new URLConnection(url) {
                    @Override
                    public void connect() {}

                    @Override
                    public InputStream getInputStream() {
                        return new ByteArrayInputStream(services.getBytes(StandardCharsets.UTF_8));
                    }
                };
            }
        })));
    }
}
