package dev.loom.bench.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FigurePlotTest {
    @TempDir
    private Path directory;

    @Test
    void shouldDrawEachPanelTwice() throws IOException {
        final List<Path> files = FigurePlot.draw(result(), directory);

        assertEquals(
                List.of("figure-15-rate.svg", "figure-15-rate.png", "figure-15-loss.svg", "figure-15-loss.png"),
                files.stream().map(file -> file.getFileName().toString()).toList());
        for (final Path file : files) {
            if (file.toString().endsWith(".svg")) {
                final String text = Files.readString(file);
                assertTrue(text.contains("<svg") && text.contains("width=\"960px\""), text.substring(0, 200));
                assertTrue(text.contains("rgb(0,114,178)") && text.contains("rgb(213,94,0)"), file + " lacks a series");
            } else {
                final BufferedImage image = ImageIO.read(file.toFile());
                assertEquals(Color.WHITE.getRGB(), image.getRGB(2, 2));
                assertTrue(pixels(image, 0x0072B2) > 100 && pixels(image, 0xD55E00) > 100, file + " lacks a series");
            }
        }
    }

    @Test
    void shouldDrawTheSameBytesAgain() throws IOException {
        final List<Path> first = FigurePlot.draw(result(), directory.resolve("first"));
        final List<Path> second = FigurePlot.draw(result(), directory.resolve("second"));

        for (int i = 0; i < first.size(); i++) {
            assertArrayEquals(Files.readAllBytes(first.get(i)), Files.readAllBytes(second.get(i)));
        }
    }

    @Test
    void shouldStrokeBarsFromTheLeastToTheGreatest() throws IOException {
        final double[] at = heights(FigurePanel.bars("bars", "", "", ""), 10, 5, 20);

        final double bar = at[1] - at[0];
        assertEquals(at[1] - bar / 2, at[2], 0.01);
        assertEquals(at[1] - 2 * bar, at[3], 0.01);
    }

    /** The logarithms of all values are negative. */
    @Test
    void shouldStrokeBarsOfALogarithm() throws IOException {
        final double[] at = heights(FigurePanel.bars("bars", "", "", "").logY(), 0.1, 0.02, 0.4);

        final double decade = (at[2] - at[3]) / Math.log10(20);
        assertEquals(at[0] + decade * Math.log10(5), at[2], 0.01);
        assertEquals(at[0] - decade * Math.log10(4), at[3], 0.01);
    }

    /** Of a bar's top and bottom, and of its stroke's bottom and top, from above. */
    private double[] heights(FigurePanel panel, double... values) throws IOException {
        final FigureResult result = new FigureResult("1", "", "", Map.of())
                .panel(panel)
                .row("bars", "loom", "P1", values)
                .row("bars", "raw-file", "P1", 1);
        final String svg = Files.readString(FigurePlot.draw(result, directory).get(0));
        final Matcher bar = Pattern.compile(
                        "<path d=\"M[0-9.]+,([0-9.]+) L[0-9.]+,[0-9.]+ L[0-9.]+,([0-9.]+) [^>]*fill:rgb\\(0,114,178\\)")
                .matcher(svg);
        final Matcher stroke = Pattern.compile(
                        "<line [^>]*stroke:rgb\\(34,34,34\\)[^>]* y1=\"([0-9.]+)\" y2=\"([0-9.]+)\"")
                .matcher(svg);
        assertTrue(bar.find() && stroke.find(), svg);
        final double[] heights = {
            Double.parseDouble(bar.group(1)),
            Double.parseDouble(bar.group(2)),
            Double.parseDouble(stroke.group(1)),
            Double.parseDouble(stroke.group(2))
        };
        assertFalse(stroke.find(), svg);
        return heights;
    }

    /** Nothing of it is above zero. */
    @Test
    void shouldLeaveOutWhatALogarithmDoesNotShow() {
        final FigureResult result = new FigureResult("1", "", "", Map.of())
                .panel(FigurePanel.bars("zero", "", "", "").logY())
                .row("zero", "loom", "P1", 0, 0, 0);

        assertEquals(List.of(), FigurePlot.draw(result, directory));
    }

    private static FigureResult result() {
        return new FigureResult("15", "Ingest", "Some", Map.of())
                .panel(FigurePanel.lines("rate", "Ingest", "payload, B", "M records/s")
                        .logX()
                        .logY()
                        .line(10, "interactive"))
                .panel(FigurePanel.bars("loss", "Loss", "phase", "%").line(7, "interactive"))
                .row("rate", "loom", "8", 30, 29, 33)
                .row("rate", "loom", "1024", 1, 2, 3)
                .row("rate", "raw-file", "8", 10)
                .row("rate", "raw-file", "64", 0)
                .row("loss", "loom", "P1", 1, 2, 3)
                .row("loss", "loom", "P2", -1)
                .row("loss", "raw-file", "P2", 4);
    }

    private static long pixels(BufferedImage image, int color) {
        return Arrays.stream(image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .filter(pixel -> (pixel & 0xFFFFFF) == color)
                .count();
    }
}
