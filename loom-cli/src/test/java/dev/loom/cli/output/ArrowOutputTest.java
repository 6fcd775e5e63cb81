package dev.loom.cli.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a stream of Arrow may go, and what is said besides. */
class ArrowOutputTest {
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};

    @TempDir
    Path directory;

    @BeforeEach
    void fill() {
        Cli.onSmallStore(directory).importText("s", "csv", "n,t\n1,a\n2,b\n").ok();
    }

    private static void requireEnded(byte[] stream) {
        assertArrayEquals(END, Arrays.copyOfRange(stream, stream.length - END.length, stream.length));
        assertTrue(new String(stream, StandardCharsets.ISO_8859_1).contains("loom.complete"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scan s",
                "scan s --limit 0",
                "agg s n --percentile 50",
                "agg s n --by t --step 1s",
                "values s t",
                "hist s n",
                "hist s --by time --from 2000-01-01 --to 2000-01-02",
                "top s n",
                "search s a --count --field t",
                "tail s -n 1",
                "diff s --where n==1"
            })
    void shouldEndEachAnswer(String command) {
        requireEnded(Cli.on(directory).bytes((command + " -o arrow").split(" ", -1)));
    }

    @Test
    void shouldNotReachATerminal() {
        Cli.on(directory)
                .outTerminal()
                .run("scan", "s", "-o", "arrow")
                .exit(2)
                .prints("")
                .says("-o arrow is not for a terminal; send it to a file or another program");
    }

    @Test
    void shouldBeForSourcesAndIndexesButNotForWhatIsReported() {
        byte[] sources = Cli.on(directory).bytes("sources", "-o", "arrow");
        assertArrayEquals(END, Arrays.copyOfRange(sources, sources.length - END.length, sources.length));
        Cli.on(directory).bytes("index", "list", "-o", "arrow");
        for (String command : new String[] {"info", "verify"}) {
            Cli.Result refused =
                    Cli.on(directory).run(command, "-o", "arrow").exit(2).prints("");
            assertTrue(refused.err().contains("-o arrow is for queries; use json or csv"), refused.err());
        }
    }

    @Test
    void shouldTellWhatItCouldNotKeep() {
        Cli.on(directory).importText("lines", "lines", "ok\n").ok();
        byte[] bad = {'b', (byte) 0xFF, '\n'};
        Cli.on(directory)
                .input(new java.io.ByteArrayInputStream(bad))
                .run("import", "--source", "lines", "--format", "lines", "-")
                .ok();
        Cli.Result result =
                Cli.on(directory).run("scan", "lines", "-o", "arrow").ok();
        assertEquals("loom: texts that are not UTF-8 have U+FFFD where they are not: values=1\n", result.err());
    }
}
