package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CsvImportTest {
    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory.resolve("store"));
    }

    private List<String> fields() {
        return cli.run("scan", "s", "--asc", "-o", "json").ok().lines().stream()
                .map(line -> line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1))
                .toList();
    }

    private String importFails(int exitCode, String text, String... options) {
        String err = cli.importText("s", "csv", text, options).exit(exitCode).err();
        return err.lines()
                .filter(line -> !line.startsWith("loom: types inferred"))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {";", "\t", "|"})
    void shouldSayHowToSplitAHeaderOfOneColumn(String delimiter) {
        String argument = delimiter.equals("\t") ? "tab" : "'" + delimiter + "'";
        String csv = "a,b\n1,2\n".replace(",", delimiter);
        String err = cli.importText("s", "csv", csv).ok().err();
        assertTrue(err.contains("loom: the header has one column; --delimiter " + argument + " splits it\n"), err);
        assertFalse(cli.importText("t", "csv", "a\n1\n").ok().err().contains("--delimiter"));
        err = cli.importText("u", "csv", "\"a,b\"\n1\n").ok().err();
        assertFalse(err.contains("--delimiter"), err);
    }

    /** A column of doubles as programs print them stays one. */
    @Test
    void shouldKeepDigitsThatNoDoubleHas() {
        Cli.Result result =
                cli.importText("s", "csv", """
                        ts,shortest,digits17,quotient,odd,long
                        1795229193.123456789,0.30000000000000004,1795229193.1234567,33.3333333333333333,0e12345678901234,0.%s
                        1795229194,1e300,0.10000000000000001,12.3000000000000000,1.0e-99999999999,-123456789.120000000
                        """.formatted("1".repeat(100_000))).ok();
        assertTrue(
                result.err()
                        .startsWith("loom: types inferred from 2 rows: --types"
                                + " ts:utf8,shortest:f64,digits17:f64,quotient:f64,odd:f64,long:f64\n"),
                result.err());
    }

    @Test
    void shouldInferTypesAndTellThem() {
        Cli.Result result = cli.importText("s", "csv", """
                        i,u,f,b,t,z,zip,e
                        1,18446744073709551615,1.5,true,a,,007,
                        -2,0,3,FALSE,1,,1,
                        """).ok();
        assertTrue(
                result.err()
                        .startsWith("loom: types inferred from 2 rows: --types"
                                + " i:i64,u:u64,f:f64,b:bool,t:utf8,z:utf8,zip:utf8,e:utf8\n"),
                result.err());
        assertEquals(
                List.of(
                        "{\"i\":1,\"u\":18446744073709551615,\"f\":1.5,\"b\":true,\"t\":\"a\",\"z\":null,\"zip\":\"007\",\"e\":null}",
                        "{\"i\":-2,\"u\":0,\"f\":3.0,\"b\":false,\"t\":\"1\",\"z\":null,\"zip\":\"1\",\"e\":null}"),
                fields());
    }

    @Test
    void shouldTellHowMuchItImportedAndWhatArrivalIs() {
        String err =
                cli.importText("s", "csv", "a\n1\n2\n", "--types", "a:i64").ok().err();
        assertTrue(
                err.matches("loom: imported 2 records, 18 bytes, in \\d+\\.\\d{3} s into s;"
                        + " arrival times are the time of this import\n"),
                err);
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 18446744073709551615",
        "18446744073709551615, -1",
        "1, 123456789012345678901",
        "1.5, -9223372036854775809",
        "+4930123456, 1",
        "1, +0.5",
        "9007199254740993, 1.5",
        "1.5, -9007199254740993",
        "1e3, 1234567890123456789"
    })
    void shouldInferNoTypeThatLosesDigits(String first, String second) {
        Cli.Result result =
                cli.importText("s", "csv", "a\n" + first + "\n" + second + "\n").ok();
        assertTrue(result.err().contains("--types a:utf8\n"), result.err());
        assertEquals(List.of("{\"a\":\"" + first + "\"}", "{\"a\":\"" + second + "\"}"), fields());
    }

    @Test
    void shouldTakeTypesAndInferOnlyTheOthers() {
        Cli.Result result =
                cli.importText("s", "csv", "a,b\n1,2\n", "--types", "b:f32?").ok();
        assertTrue(result.err().contains("--types a:i64,b:f32\n"), result.err());
        assertEquals(List.of("{\"a\":1,\"b\":2.0}"), fields());
    }

    @Test
    void shouldReadEveryType() {
        String types =
                "i8:i8,i16:i16,i32:i32,i64:i64,u8:u8,u16:u16,u32:u32,u64:u64,f32:f32,f64:f64,b:bool,t:utf8,d:bytes";
        String header = "i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,b,t,d\n";
        cli.importText(
                        "s",
                        "csv",
                        header + "-128,-32768,-2147483648,-9223372036854775808,255,65535,4294967295,"
                                + "18446744073709551615,0.1,1e-300,0,\"a,\"\"b\"\"\nc\",AAEC/w==\n"
                                + " 1 ,2,3,4,5,6,7,8,-inf,NaN,1,é,'+/+/\n"
                                + ",,,,,,,,,,,,\n",
                        "--types",
                        types)
                .ok();
        assertEquals(
                List.of(
                        "{\"i8\":-128,\"i16\":-32768,\"i32\":-2147483648,\"i64\":-9223372036854775808,\"u8\":255,"
                                + "\"u16\":65535,\"u32\":4294967295,\"u64\":18446744073709551615,\"f32\":0.1,"
                                + "\"f64\":1.0E-300,\"b\":false,\"t\":\"a,\\\"b\\\"\\nc\",\"d\":\"AAEC/w==\"}",
                        "{\"i8\":1,\"i16\":2,\"i32\":3,\"i64\":4,\"u8\":5,\"u16\":6,\"u32\":7,\"u64\":8,"
                                + "\"f32\":\"-Infinity\",\"f64\":\"NaN\",\"b\":true,\"t\":\"é\",\"d\":\"+/+/\"}",
                        "{\"i8\":null,\"i16\":null,\"i32\":null,\"i64\":null,\"u8\":null,\"u16\":null,\"u32\":null,"
                                + "\"u64\":null,\"f32\":null,\"f64\":null,\"b\":null,\"t\":null,\"d\":null}"),
                fields());
    }

    @ParameterizedTest
    @CsvSource({
        "i8, 128, out of range of i8",
        "u8, -1, out of range of u8",
        "u64, -1, not u64",
        "i64, 9223372036854775808, not i64",
        "i64, 1.5, not i64",
        "f32, 1e39, out of range of f32",
        "f64, 1.2.3, not f64",
        "f64, 1e400, not f64",
        "bool, yes, not bool",
        "bytes, a, not bytes"
    })
    void shouldStopAtACellOfAnotherType(String type, String cell, String problem) {
        assertEquals(
                "loom: line 3: a: " + problem + ": \"" + cell + "\"",
                importFails(4, "a,b\n,1\n" + cell + ",2\n,3\n", "--types", "a:" + type));
        assertEquals(1, fields().size());
    }

    @Test
    void shouldStopAtTextThatIsNotUtf8() {
        byte[] text = "a\nok\nn\u00e9\n".getBytes(StandardCharsets.ISO_8859_1);
        Cli.Result result = cli.input(new ByteArrayInputStream(text))
                .run("import", "--source", "s", "--format", "csv", "--types", "a:utf8", "-")
                .exit(4);
        assertTrue(result.err().startsWith("loom: line 3: a: not utf8: \"n"), result.err());
    }

    @Test
    void shouldStopAtARowThatDoesNotParseAndKeepThoseBefore() {
        assertEquals("loom: line 4: row has 1 cells, the header 2", importFails(4, "a,b\n1,2\n\n3\n4,5\n"));
        assertEquals(List.of("{\"a\":1,\"b\":2}"), fields());
    }

    @Test
    void shouldSkipBadRowsAndKeepThemInAFile() throws IOException {
        Path rejects = directory.resolve("rejects.csv");
        Cli.Result result = cli.importText(
                        "s",
                        "csv",
                        "a,b\r\n1,2\r\nx,\"2\n2\"\r\n3,\"4\"5\r\n6,7\r\n",
                        "--types",
                        "a:i64,b:utf8",
                        "--on-bad",
                        "skip",
                        "--rejects",
                        rejects.toString())
                .ok();
        assertTrue(result.err().contains("loom: line 3: a: not i64: \"x\"\n"), result.err());
        assertTrue(result.err().contains("loom: line 5: text after the closing quote of cell 2\n"), result.err());
        assertTrue(result.err().contains("; 2 skipped\n"), result.err());
        assertEquals(List.of("{\"a\":1,\"b\":\"2\"}", "{\"a\":6,\"b\":\"7\"}"), fields());
        assertEquals("a,b\r\nx,\"2\n2\"\r\n3,\"4\"5\r\n", Files.readString(rejects));
    }

    @Test
    void shouldTellTheFirstBadRowsAndTheLast() {
        for (int bad : new int[] {10, 11, 500}) {
            String text = "a\n" + "x\n".repeat(bad - 1) + "1\nx\n2\n";
            String err = cli.importText("s", "csv", text, "--types", "a:i64", "--on-bad", "skip")
                    .ok()
                    .err();
            assertEquals(
                    10,
                    err.lines()
                            .filter(line -> line.endsWith(": a: not i64: \"x\""))
                            .count());
            assertEquals(bad > 10, err.contains("loom: further records that do not parse are counted"), err);
            String last = "; " + bad + " skipped" + (bad > 10 ? ", the last at line " + (bad + 2) : "") + "\n";
            assertTrue(err.endsWith(last), err);
        }
    }

    /** Types are inferred by looking ahead, which must leave nothing of a bad row behind. */
    @ParameterizedTest
    @ValueSource(strings = {"%s", "\"%s\"", "%s,1", "1,%s"})
    void shouldCountARowThatIsTooLongWhileTypesAreInferred(String row) {
        String text = "a,b\n1,x\n" + row.formatted("y".repeat(17 << 20)) + "\n2,z\n";
        String err = cli.importText("s", "csv", text, "--on-bad", "skip").ok().err();
        assertTrue(err.contains("loom: line 3: row is longer than "), err);
        assertTrue(err.contains("imported 2 records"), err);
        assertTrue(err.contains("; 1 skipped"), err);
        assertEquals(List.of("{\"a\":1,\"b\":\"x\"}", "{\"a\":2,\"b\":\"z\"}"), fields());
        assertTrue(cli.importText("s", "csv", text).exit(4).err().contains("; 1 bad, stopped there"));
    }

    @Test
    void shouldTellOnlyTheFirstOfManyBadRows() {
        String err = cli.importText("s", "csv", "a\n" + "x\n".repeat(1000), "--types", "a:i64", "--on-bad", "skip")
                .ok()
                .err();
        assertEquals(12, err.lines().count(), err);
        assertTrue(err.contains("line 11: "), err);
        assertTrue(err.contains("; 1000 skipped"), err);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | line 1: no header line with the column names",
                "\"\",, | line 1: header: no column has a name",
                "column_2, | line 1: header: two columns are named column_2",
                "a,b,a | line 1: header: two columns are named a",
                "\"a | line 1: header: quoted cell is not closed"
            })
    void shouldRefuseABadHeader(String header, String message) {
        assertEquals("loom: " + message, importFails(4, header));
    }

    /** Pandas and R write row numbers so. */
    @Test
    void shouldTakeColumnsWithoutANameByTheirNumbers() {
        String err = cli.importText("s", "csv", "\"\",a, \n0,1,2\n").ok().err();
        assertTrue(err.startsWith("loom: column 1 has no name, and becomes field column_1\n"), err);
        assertEquals(List.of("{\"column_1\":0,\"a\":1,\"column_3\":2}"), fields());
    }

    @Test
    void shouldTakeColumnsWhoseNamesNoFieldMayHave() {
        String err = cli.importText("s", "csv", "Request ID,1st,größe (B)\n1,2,3\n")
                .ok()
                .err();
        assertTrue(err.startsWith("loom: column \"Request ID\" becomes field Request_ID\n"), err);
        assertEquals(List.of("{\"Request_ID\":1,\"_1st\":2,\"gr_e_B_\":3}"), fields());
        cli.importText("s", "csv", "1st,Request ID,größe (B)\n5,4,6\n").ok();
        assertEquals(2, fields().size());
    }

    /** Columns come in any order, so that the order must not tell which is which. */
    @Test
    void shouldTellColumnsApartThatWouldHaveOneName() {
        String err = cli.importText("s", "csv", "名前,年齢,住所,_2,a_b,a b,a/b\n1,2,3,4,5,6,7\n")
                .ok()
                .err();
        assertTrue(err.contains("loom: column \"年齢\" becomes field _5e74_9f62\n"), err);
        assertEquals(
                List.of(
                        "{\"_540d_524d\":1,\"_5e74_9f62\":2,\"_4f4f_6240\":3,\"_2\":4,\"a_b\":5,\"a_20b\":6,\"a_2fb\":7}"),
                fields());
        cli.importText("s", "csv", "a/b,住所,年齢,名前,_2,a b,a_b\n7,3,2,1,4,6,5\n").ok();
        List<String> both = fields();
        assertEquals(both.get(0), both.get(1));
        assertEquals("loom: line 1: header: two columns are named 名前", importFails(4, "名前,名前\n1,2\n"));
        assertEquals(
                "loom: line 1: header: columns \"a b\" and \"a_20b\" would both be field a_20b",
                importFails(4, "a b,a/b,a_20b\n1,2,3\n"));
    }

    @ParameterizedTest
    @CsvSource({"';', ;", "'\t', tab", "'|', |"})
    void shouldTakeAnotherDelimiter(String delimiter, String option) {
        cli.importText("s", "csv", "a,b\n1,\"x,y\"\n2,z\n".replace(",", delimiter), "--delimiter", option)
                .ok();
        assertEquals(
                List.of("{\"a\":1,\"b\":\"x" + delimiter.replace("\t", "\\t") + "y\"}", "{\"a\":2,\"b\":\"z\"}"),
                fields());
    }

    @Test
    void shouldImportSeveralFiles() throws IOException {
        Path first = Files.writeString(directory.resolve("1.csv"), "a,b\n1,x\n");
        Path second = Files.writeString(directory.resolve("2.csv"), "b,a\ny,2\n");
        Path bad = Files.writeString(directory.resolve("3.csv"), "a,b\nz,3\n");
        Path rejects = directory.resolve("rejects.csv");
        String err = cli.run("import", "--source", "s", "--format", "csv", first.toString(), second.toString())
                .ok()
                .err();
        assertTrue(err.contains("into s from " + first + ";") && err.contains("into s from " + second + ";"), err);
        assertEquals(List.of("{\"a\":1,\"b\":\"x\"}", "{\"a\":2,\"b\":\"y\"}"), fields());
        String stopped = cli.run("import", "--source", "s", "--format", "csv", bad.toString(), first.toString())
                .exit(4)
                .err();
        assertTrue(stopped.contains(bad + ": line 2: a: not i64: \"z\""), stopped);
        assertEquals(2, fields().size());
        cli.run(with(
                        new String[] {"import", "--source", "s", "--format", "csv", "--on-bad", "skip"},
                        "--rejects",
                        rejects.toString(),
                        bad.toString(),
                        first.toString()))
                .ok();
        assertEquals(3, fields().size());
        assertEquals("a,b\nz,3\n", Files.readString(rejects));
        cli.run("import", "--source", "s", "--format", "csv", first.toString(), "-")
                .exit(2)
                .says("- can't be combined with other inputs");
    }

    @Test
    void shouldNotMixRejectedRowsOfSeveralHeaders() throws IOException {
        Path first = Files.writeString(directory.resolve("1.csv"), "a,b,n\nx,y,1\n");
        Path other = Files.writeString(directory.resolve("2.csv"), "b,a,n\ny,x,bad\n");
        Path bad = Files.writeString(directory.resolve("3.csv"), "a,b,n\nx,y,bad\n");
        Path rejects = directory.resolve("rejects.csv");
        String[] start = {
            "import", "--source", "s", "--format", "csv", "--on-bad", "skip", "--rejects", rejects.toString()
        };
        String refused =
                cli.run(with(start, first.toString(), other.toString())).exit(2).err();
        assertTrue(
                refused.contains("--rejects takes rows of one header, import this file by itself: header=b,a,n,"
                        + " first=a,b,n, file=" + other + "\n"),
                refused);
        assertEquals("a,b,n\n", Files.readString(rejects));
        cli.run(with(start, bad.toString(), bad.toString())).ok();
        assertEquals("a,b,n\nx,y,bad\nx,y,bad\n", Files.readString(rejects));
    }

    @Test
    void shouldNameTheFileThatDoesNotFit() throws IOException {
        Path first = Files.writeString(directory.resolve("1.csv"), "a,n\nx,1\n");
        Path unfit = Files.writeString(directory.resolve("2.csv"), "a,m\ny,2\n");
        Path late = Files.writeString(directory.resolve("3.csv"), "a,n\n");
        Path last = Files.writeString(directory.resolve("4.csv"), "a,n\nz,3\n");
        String[] files = {first.toString(), unfit.toString(), late.toString(), last.toString()};
        String[] start = {"import", "--source", "s", "--format", "csv"};
        String problem = "loom: columns differ from the fields of the source: columns=[a, m], fields=[a, n], file="
                + unfit + "\n";
        String stopped = cli.run(with(start, files)).exit(2).err();
        assertTrue(
                stopped.endsWith(
                        problem + "loom: not imported, as the import stopped before: files=2, first=" + late + "\n"),
                stopped);
        assertEquals(1, fields().size());
        String skipped =
                cli.run(with(with(start, "--on-bad", "skip"), files)).exit(4).err();
        assertTrue(skipped.contains(problem), skipped);
        assertFalse(skipped.contains("not imported"), skipped);
        assertEquals(List.of("{\"a\":\"x\",\"n\":1}", "{\"a\":\"z\",\"n\":3}"), fields().subList(1, 3));
        // or lacks a column whose type is given
        String typed = cli.run(with(with(start, "--on-bad", "skip", "--types", "n:i64"), files))
                .exit(4)
                .err();
        assertTrue(typed.contains("loom: --types names an unknown column: n; columns: [a, m], file=" + unfit), typed);
        assertEquals(5, fields().size());
    }

    /** As one that is not for the file alone. */
    @Test
    void shouldStopAtAFailureBehindAFileThatWasSkipped() throws IOException {
        Path damaged = Files.writeString(directory.resolve("1.csv"), "a,a\n");
        Path early = Files.writeString(directory.resolve("2.csv"), "t\n17\n");
        Path last = Files.writeString(directory.resolve("3.csv"), "t\n1795229193\n");
        String[] start = {"import", "--source", "s", "--format", "csv", "--event-time", "t", "--on-bad", "skip"};
        String err = cli.run(with(start, damaged.toString(), early.toString(), last.toString()))
                .exit(2)
                .err();
        assertTrue(err.contains("loom: line 1: header: two columns are named a, file=" + damaged + "\n"), err);
        assertTrue(err.contains(", file=" + early + "\n"), err);
        assertTrue(
                err.endsWith("loom: not imported, as the import stopped before: files=1, first=" + last + "\n"), err);
    }

    @Test
    void shouldInferTypesFromTheFirstFileWithRows() throws IOException {
        Path empty = Files.writeString(directory.resolve("1.csv"), "a,n\n");
        Path second = Files.writeString(directory.resolve("2.csv"), "a,n\nx,1\n");
        cli.run("import", "--source", "s", "--format", "csv", empty.toString(), second.toString())
                .ok();
        assertEquals(List.of("{\"a\":\"x\",\"n\":1}"), fields());
    }

    /** All columns would be texts for good. */
    @Test
    void shouldDefineNoSourceWhoseTypesNoRowTells() {
        Cli.Result none = cli.importText("s", "csv", "a,n\n").ok();
        assertTrue(
                none.err().contains("loom: the source is not defined, as no record shows its format: source=s\n"),
                none.err());
        cli.importText("s", "csv", "a,n\nx,1\n").ok();
        assertEquals(List.of("{\"a\":\"x\",\"n\":1}"), fields());
        cli.importText("s", "csv", "a,n\n").ok();
        cli.importText("typed", "csv", "a,n\n", "--types", "a:utf8,n:i64").ok();
        assertEquals(2, cli.run("sources", "-o", "json").ok().lines().size());
    }

    /** The types that stopped it would be the source's for good. */
    @ParameterizedTest
    @CsvSource({"csv, --types=n:i64, --types=n:f64", "jsonl, --on-bad=stop, --on-bad=skip"})
    void shouldDefineNoSourceWhereTheFirstRecordStopsTheImport(String format, String first, String corrected) {
        String text = format.equals("csv") ? "n\n1.5\n" : "n\n{\"n\":1.5}\n";
        Cli.Result stopped = cli.importText("s", format, text, first).exit(4);
        assertTrue(stopped.err().contains("; 1 bad, stopped there\n"), stopped.err());
        assertEquals(List.of(), cli.run("sources", "-o", "json").ok().lines());
        cli.importText("s", format, text, corrected).ok();
        assertEquals(List.of("{\"n\":1.5}"), fields());
    }

    @Test
    void shouldKeepRejectsUntilThereIsAStore() throws IOException {
        Path rejects = Files.writeString(directory.resolve("rejects.csv"), "a\nz\n");
        String[] start = {"import", "--source", "s", "--format", "csv", "--rejects", rejects.toString()};
        cli.run(with(start, rejects.toString()))
                .exit(2)
                .says("--rejects is an input, which it would overwrite: file=" + rejects);
        Path input = Files.writeString(directory.resolve("a.csv"), "a\n1\n");
        try (Loom writer = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            assertTrue(writer.sources().isEmpty());
            cli.run(with(start, input.toString())).exit(3);
            assertEquals("a\nz\n", Files.readString(rejects));
        }
        cli.run(with(start, input.toString())).ok();
        assertEquals("a\n", Files.readString(rejects));
    }

    @Test
    void shouldRefuseBadTypes() {
        assertEquals(
                "loom: --types names an unknown column: c; columns: [a, b]",
                importFails(2, "a,b\n1,2\n", "--types", "c:i64"));
        assertTrue(importFails(2, "a\n", "--types", "a").startsWith("loom: --types: field has no type"));
        assertTrue(importFails(2, "a\n", "--types", "a:int").startsWith("loom: --types: unknown field type: type=int"));
    }

    @Test
    void shouldAppendToASourceOfTheSameFormatInAnyOrderOfColumns() {
        cli.importText("s", "csv", "a,b\n1,x\n").ok();
        cli.importText("s", "csv", "b,a\ny,2\n").ok();
        cli.importText("s", "csv", "a,b\n3,z\n", "--types", "a:i64,b:utf8").ok();
        assertEquals(List.of("{\"a\":1,\"b\":\"x\"}", "{\"a\":2,\"b\":\"y\"}", "{\"a\":3,\"b\":\"z\"}"), fields());
        assertEquals(1, cli.run("sources").ok().lines().size());
    }

    @Test
    void shouldRefuseASourceOfAnotherFormat() {
        cli.importText("s", "csv", "a,b\n1,x\n").ok();
        assertEquals(
                "loom: columns differ from the fields of the source: columns=[a, c], fields=[a, b]",
                importFails(2, "a,c\n1,x\n"));
        assertEquals(
                "loom: source has a different format: source=s, format=struct:a:i64?,b:utf8?,"
                        + " import=struct:a:u8?,b:utf8?",
                importFails(2, "a,b\n1,x\n", "--types", "a:u8,b:utf8"));
        assertEquals(
                "loom: source has a different format: source=s, format=struct:a:i64?,b:utf8?, import=text\n",
                cli.importText("s", "lines", "x\n").exit(2).err());
    }

    @Test
    void shouldFillASourceThatWasDefinedBefore() {
        cli.run("source", "add", "s", "--fields", "a:u8,b:utf8?").ok();
        assertEquals("loom: line 3: a: empty, but required", importFails(4, "a,b\n1,\n,x\n"));
        assertEquals(List.of("{\"a\":1,\"b\":null}"), fields());
    }

    @Test
    void shouldReadCompressedFiles() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write("a\n1\n2\n".getBytes(StandardCharsets.UTF_8));
        }
        Path file = Files.write(directory.resolve("a.csv.gz"), bytes.toByteArray());
        cli.run("import", "--source", "s", "--format", "csv", file.toString()).ok();
        assertEquals(2, fields().size());

        Path cut = Files.write(directory.resolve("cut.gz"), Arrays.copyOf(bytes.toByteArray(), bytes.size() - 9));
        String err = cli.run("import", "--source", "s", "--format", "csv", cut.toString())
                .exit(4)
                .err();
        assertTrue(err.contains("loom: input is damaged: "), err);
    }

    @Test
    void shouldReadCompressedStandardInput() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write("a\n1\n2\n".getBytes(StandardCharsets.UTF_8));
        }
        String[] command = {"import", "--source", "s", "--format", "csv", "-"};
        cli.input(new ByteArrayInputStream(bytes.toByteArray())).run(command).ok();
        assertEquals(2, fields().size());
        byte[] cut = Arrays.copyOf(bytes.toByteArray(), bytes.size() - 9);
        String err =
                cli.input(new ByteArrayInputStream(cut)).run(command).exit(4).err();
        assertTrue(err.contains("loom: input is damaged: gzip ends early: "), err);
        // what only begins as gzip does
        cli.importText("one", "lines", "\u001f").ok();
        cli.importText("two", "lines", "\u001fx\n").ok();
        assertEquals("\u001f\n", cli.run("scan", "one", "-o", "raw").out());
        assertEquals("\u001fx\n", cli.run("scan", "two", "-o", "raw").out());
    }

    @Test
    void shouldTellWhatItTookOfAFileThatIsCut() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(("a\n" + "17\n".repeat(500_000)).getBytes(StandardCharsets.UTF_8));
        }
        Path cut = Files.write(directory.resolve("cut.gz"), Arrays.copyOf(bytes.toByteArray(), bytes.size() - 9));
        List<String> err = cli.run("import", "--source", "s", "--format", "csv", cut.toString())
                .exit(4)
                .err()
                .lines()
                .toList();
        long records = cli.run("scan", "s", "-o", "raw").ok().out().length() / 9;
        assertTrue(records > 100_000, records + "");
        assertTrue(err.get(1).startsWith("loom: imported " + records + " records, "), err.get(1));
        assertTrue(err.get(1).endsWith("; incomplete"), err.get(1));
        assertTrue(err.get(2).startsWith("loom: input is damaged: "), err.get(2));
    }

    @Test
    void shouldLeaveNothingBehindWhenItCannotBegin() throws IOException {
        Path file = Files.writeString(directory.resolve("a.csv"), "a\n1\n");
        Cli none = Cli.on(directory.resolve("none"));
        String[] start = {"import", "--source", "s", "--format", "csv", file.toString()};
        none.run(with(start, "--rejects", directory.resolve("no/such").toString()))
                .exit(2);
        none.run("sources").exit(3);
        none.run(with(start, "--replay")).exit(2);
        assertEquals("", none.run("sources").ok().out());
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void shouldRefuseAFileThatIsNotThere() {
        cli = Cli.on(directory.resolve("no store"));
        Path none = directory.resolve("none.csv");
        cli.run("import", "--source", "s", "--format", "csv", none.toString())
                .exit(2)
                .says("can't read the input: file=" + none + ", reason=no such file");
        cli.run("import", "--source", "s", "--format", "csv", directory.toString())
                .exit(2)
                .says("can't read the input: file=" + directory + ", reason=is a directory");
        cli.run("sources").exit(3);
    }

    @Test
    void shouldRefuseOptionsThatMakeNoSense() {
        assertEquals(
                "loom: --types is for --format csv, not lines\n",
                cli.importText("s", "lines", "", "--types", "a:i64").exit(2).err());
        assertEquals(
                "loom: --rejects is for text formats, not pcap; nothing after a damaged packet can be read\n",
                cli.importText("s", "pcap", "", "--rejects", "x").exit(2).err());
        assertEquals(
                "loom: Invalid value for option '--format': expected one of csv, jsonl, lines, pcap, archive but was 'xml';"
                        + " see loom import --help\n",
                cli.importText("s", "xml", "").exit(2).err());
        assertTrue(importFails(2, "a\n", "--policy", "x").contains("expected one of wait, drop-newest but was"));
        assertTrue(importFails(2, "a\n1\n", "--types", "").contains("--types"));
        assertTrue(cli.importText("#s", "csv", "a\n1\n").exit(2).err().contains("bad source name"));
    }
}
