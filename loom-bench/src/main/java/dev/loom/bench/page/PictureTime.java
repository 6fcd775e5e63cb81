package dev.loom.bench.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;

/**
 * How long a heatmap takes by a browser's own clock, from the request for its cells on.
 *
 * @param answerMs to the last byte of the answer
 * @param pictureMs until all of it is drawn
 */
public record PictureTime(double answerMs, double pictureMs) {
    private static final String DRAWN = """
            new Promise(done => new PerformanceObserver((list, observer) => {
              const drawn = list.getEntriesByName('heatmap drawn')[0];
              const asked = performance.getEntriesByType('resource').findLast(each => each.name.endsWith('/v1/hist'));
              if (drawn) done({answer: asked.responseEnd - asked.startTime, picture: drawn.startTime - asked.startTime});
            }).observe({type: 'mark', buffered: true}))""";

    /** Opens a link to a heatmap. */
    public static PictureTime of(Chromium browser, String link) throws IOException, InterruptedException {
        browser.open("about:blank");
        browser.open(link);
        final JsonNode found = browser.evaluate(DRAWN);
        return new PictureTime(
                found.path("answer").doubleValue(), found.path("picture").doubleValue());
    }
}
