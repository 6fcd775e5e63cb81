package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;

/** A self-signed certificate for localhost, which is its own authority, with its key, both PEM. */
public record TestIdentity(Path cert, Path key) {
    private static final String PASSWORD = "changeit";

    /** Makes one. */
    public static TestIdentity create(Path folder, String name) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "san=dns:localhost",
                        "-validity",
                        "2",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD,
                        "-storetype",
                        "PKCS12")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, keytool.waitFor());
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        return new TestIdentity(
                pem(
                        folder.resolve(name + ".crt"),
                        "CERTIFICATE",
                        keys.getCertificate(name).getEncoded()),
                pem(
                        folder.resolve(name + ".key"),
                        "PRIVATE KEY",
                        keys.getKey(name, PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String type, byte[] content) throws Exception {
        String text = Base64.getMimeEncoder().encodeToString(content);
        return Files.writeString(file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
    }
}
