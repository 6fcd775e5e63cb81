package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;

/** The encoding of a request's body. */
enum RequestBody {
    IDENTITY,
    GZIP;

    /**
     * The encoding that the request's headers name.
     *
     * @throws ApiFailure if it is not supported
     */
    static RequestBody of(Request request) {
        String encoding = String.join(", ", request.getHeaders().getValuesList(HttpHeader.CONTENT_ENCODING));
        return switch (encoding.strip().toLowerCase(Locale.ROOT)) {
            case "", "identity" -> IDENTITY;
            case "gzip", "x-gzip" -> GZIP;
            default ->
                throw new ApiFailure(
                        415,
                        "unsupported_media_type",
                        "content encoding is not one of identity, gzip: encoding=" + encoding);
        };
    }

    /**
     * Decodes the body, at most {@code lengthMax} bytes of it.
     *
     * @throws ApiFailure if it can't be decoded or is longer than {@code lengthMax}
     */
    byte[] decode(byte[] sent, int lengthMax) {
        if (this == IDENTITY) {
            return sent;
        }
        try (GZIPInputStream stream = new GZIPInputStream(new ByteArrayInputStream(sent))) {
            byte[] body = stream.readNBytes(lengthMax + 1);
            if (body.length > lengthMax) {
                throw tooLarge(lengthMax);
            }
            return body;
        } catch (IOException e) {
            throw ApiFailure.badRequest("request can't be decompressed: encoding=gzip, length=" + sent.length
                    + ", reason=" + (e.getMessage() == null ? "ends early" : e.getMessage()));
        }
    }

    static ApiFailure tooLarge(int lengthMax) {
        return new ApiFailure(413, "too_large", "request is too long: max=" + lengthMax);
    }
}
