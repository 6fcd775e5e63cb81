package dev.loom.otlp.tls;

import dev.loom.otlp.file.FileFailure;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and keys in PEM form. */
final class PemFiles {
    /** For key stores that exist only in memory. */
    static final String PASSWORD = "";

    private static final Pattern KEY =
            Pattern.compile("-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----([A-Za-z0-9+/=\\s]+)-----END");
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519", "Ed448");
    /** Any byte: an empty text does not suit every algorithm. */
    private static final byte SIGNED = 0;
    /** The version, and the tag before the key's length. */
    private static final byte[] SEC1_START = {0x02, 0x01, 0x01, 0x04};
    /** The version and RSA's AlgorithmIdentifier, in a PKCS #8 structure. */
    private static final byte[] RSA_PKCS8_START = HexFormat.of().parseHex("020100300d06092a864886f70d0101010500");

    private PemFiles() {}

    /** A store with one entry: a key and its certificates, the server's own first. */
    static KeyStore keyStore(Path certFile, Path keyFile) throws IOException, GeneralSecurityException {
        Certificate[] chain = certificates(certFile).toArray(new Certificate[0]);
        KeyStore store = emptyStore();
        PrivateKey key = privateKey(keyFile, chain[0]);
        if (!isPair(key, chain[0].getPublicKey())) {
            throw new IOException(
                    "private key is not that of the certificate: cert_file=" + certFile + ", key_file=" + keyFile);
        }
        store.setKeyEntry("server", key, PASSWORD.toCharArray(), chain);
        return store;
    }

    /** Whether one verifies what the other signs. */
    private static boolean isPair(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm(); // Ed25519 and Ed448
        };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(SIGNED);
        byte[] signed = signature.sign();
        try {
            signature.initVerify(certified);
            signature.update(SIGNED);
            return signature.verify(signed);
        } catch (InvalidKeyException | SignatureException e) {
            return false; // of another algorithm or curve
        }
    }

    /** A store of the authorities that certificates are checked against. */
    static KeyStore trustStore(Path caFile) throws IOException, GeneralSecurityException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate certificate : certificates(caFile)) {
            store.setCertificateEntry("ca-" + number++, certificate);
        }
        return store;
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        Collection<? extends Certificate> certificates;
        try {
            certificates = CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)));
        } catch (IOException e) {
            throw FileFailure.of("can't read the certificate", file, e);
        } catch (GeneralSecurityException e) {
            throw new IOException("file holds no certificate: file=" + file + ", reason=" + e.getMessage(), e);
        }
        if (certificates.isEmpty()) {
            throw new IOException("file holds no certificate: file=" + file);
        }
        return certificates;
    }

    private static PrivateKey privateKey(Path file, Certificate certificate) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw FileFailure.of("can't read the private key", file, e);
        }
        Matcher matcher = KEY.matcher(text);
        if (!matcher.find()) {
            throw new IOException(
                    "file holds no private key in PKCS #8, PKCS #1 or SEC 1 without a password: file=" + file);
        }
        try {
            byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(2));
            return switch (matcher.group(1)) {
                case "EC PRIVATE KEY" -> sec1(encoded, certificate.getPublicKey());
                case "RSA PRIVATE KEY" -> pkcs8(wrapRsa(encoded));
                default -> pkcs8(encoded);
            };
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("private key can't be used: file=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    private static PrivateKey pkcs8(byte[] encoded) throws GeneralSecurityException {
        PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(encoded);
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException otherAlgorithm) {
                // try the next one
            }
        }
        throw new InvalidKeySpecException("its algorithm is not one of " + ALGORITHMS);
    }

    /** SEC 1: SEQUENCE { 1, OCTET STRING { key }, .. }. The key need not name its curve, so the certificate's is used. */
    private static PrivateKey sec1(byte[] encoded, PublicKey certified) throws GeneralSecurityException {
        if (!(certified instanceof ECPublicKey onCurve)) {
            throw new InvalidKeySpecException("it is for EC, the certificate for " + certified.getAlgorithm());
        }
        // the sequence's length takes one byte, or 0x81 and one byte
        int start = encoded.length > 2 && (encoded[1] & 0xFF) == 0x81 ? 3 : 2;
        int key = start + SEC1_START.length + 1;
        boolean begins = key <= encoded.length
                && encoded[0] == 0x30
                && Arrays.equals(SEC1_START, 0, SEC1_START.length, encoded, start, key - 1);
        if (!begins || encoded[key - 1] < 0 || encoded[key - 1] > encoded.length - key) {
            throw new InvalidKeySpecException("it is not in SEC 1");
        }
        BigInteger secret = new BigInteger(1, encoded, key, encoded[key - 1]);
        return KeyFactory.getInstance("EC").generatePrivate(new ECPrivateKeySpec(secret, onCurve.getParams()));
    }

    /** PKCS #8 around PKCS #1: SEQUENCE { version, algorithm, OCTET STRING { key } }. */
    private static byte[] wrapRsa(byte[] key) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(RSA_PKCS8_START);
        writeDer(inner, 0x04, key);
        ByteArrayOutputStream outer = new ByteArrayOutputStream();
        writeDer(outer, 0x30, inner.toByteArray());
        return outer.toByteArray();
    }

    private static void writeDer(ByteArrayOutputStream out, int tag, byte[] content) {
        out.write(tag);
        int lengthBytes = (32 - Integer.numberOfLeadingZeros(content.length) + 7) / 8;
        if (content.length >= 0x80) {
            out.write(0x80 | lengthBytes);
        }
        for (int i = lengthBytes - 1; i >= 0; i--) {
            out.write(content.length >>> (8 * i));
        }
        out.writeBytes(content);
    }
}
