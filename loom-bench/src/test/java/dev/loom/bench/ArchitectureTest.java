package dev.loom.bench;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.loom.io.ForwardingFile;
import dev.loom.io.LoomFile;
import dev.loom.io.MappedFile;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The arrows between modules and packages, as {@code docs/code.md} states them. It stands in the one module that sees all
 * the others. A package that is in no layer fails.
 */
final class ArchitectureTest {
    private static final String[] CORE = {
        "dev.loom",
        "dev.loom.api..",
        "dev.loom.error..",
        "dev.loom.format..",
        "dev.loom.bytes..",
        "dev.loom.recorder..",
        "dev.loom.store..",
        "dev.loom.read..",
        "dev.loom.record..",
        "dev.loom.compress..",
        "dev.loom.schema..",
        "dev.loom.index..",
        "dev.loom.value..",
        "dev.loom.text..",
        "dev.loom.filter..",
        "dev.loom.rollup..",
        "dev.loom.log..",
        "dev.loom.io.."
    };

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.loom");

    @Test
    void shouldSeeTheClassesOfEveryModule() {
        for (String name : new String[] {
            "dev.loom.Loom", "dev.loom.query.RawScan", "dev.loom.parquet.ParquetExport", "dev.loom.cli.package-info"
        }) {
            assertTrue(CLASSES.contain(name), name);
        }
    }

    @Test
    void shouldPointArrowsOneWayBetweenLayers() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .ensureAllClassesAreContainedInArchitecture()
                .layer("bench")
                .definedBy("dev.loom.bench..", "dev.loom.stress..")
                .layer("cli")
                .definedBy("dev.loom.cli..")
                .layer("server")
                .definedBy("dev.loom.server..")
                .layer("otlp")
                .definedBy("dev.loom.otlp..")
                .layer("parquet")
                .definedBy("dev.loom.parquet..")
                .layer("query")
                .definedBy("dev.loom.query..")
                .layer("bytes")
                .definedBy("dev.loom.bytes..")
                .layer("entry")
                .definedBy("dev.loom")
                .layer("api")
                .definedBy("dev.loom.api..")
                .layer("recorder")
                .definedBy("dev.loom.recorder..")
                .layer("store")
                .definedBy("dev.loom.store..")
                .layer("read")
                .definedBy("dev.loom.read..")
                .layer("records")
                .definedBy(
                        "dev.loom.record..",
                        "dev.loom.schema..",
                        "dev.loom.index..",
                        "dev.loom.filter..",
                        "dev.loom.rollup..",
                        "dev.loom.compress..")
                .layer("value")
                .definedBy("dev.loom.value..")
                .layer("text")
                .definedBy("dev.loom.text..")
                .layer("log")
                .definedBy("dev.loom.log..")
                .layer("io")
                .definedBy("dev.loom.io..")
                .layer("format")
                .definedBy("dev.loom.format..")
                .layer("error")
                .definedBy("dev.loom.error..")
                .whereLayer("cli")
                .mayOnlyAccessLayers("server", "otlp", "query", "bytes", "entry", "read", "api", "format", "error")
                .whereLayer("server")
                .mayOnlyAccessLayers("otlp", "query", "bytes", "entry", "read", "api", "format", "error")
                .whereLayer("otlp")
                .mayOnlyAccessLayers("bytes", "entry", "api", "format", "error")
                .whereLayer("parquet")
                .mayOnlyAccessLayers("query", "read", "api", "format", "error")
                .whereLayer("query")
                .mayOnlyAccessLayers("read", "value", "text", "api", "format", "error")
                .whereLayer("bytes")
                .mayOnlyAccessLayers("api", "format", "error")
                .whereLayer("entry")
                .mayOnlyAccessLayers("recorder", "store", "records", "log", "io", "api", "format", "error")
                .whereLayer("recorder")
                .mayOnlyAccessLayers("store", "records", "io", "api", "format", "error")
                .whereLayer("store")
                .mayOnlyAccessLayers("read", "records", "value", "log", "io", "api", "format", "error")
                .whereLayer("read")
                .mayOnlyAccessLayers("records", "value", "text", "log", "api", "format", "error")
                .whereLayer("records")
                .mayOnlyAccessLayers("value", "text", "log", "io", "api", "format", "error")
                .whereLayer("value")
                .mayOnlyAccessLayers("api", "format", "error")
                .whereLayer("log")
                .mayOnlyAccessLayers("io", "format", "error")
                .whereLayer("io")
                .mayOnlyAccessLayers("format", "error")
                .whereLayer("api")
                .mayOnlyAccessLayers("format", "error")
                .whereLayer("text")
                .mayNotAccessAnyLayer()
                .whereLayer("format")
                .mayNotAccessAnyLayer()
                .whereLayer("error")
                .mayNotAccessAnyLayer()
                .check(CLASSES);
    }

    @Test
    void shouldPointArrowsOneWayInsideQuery() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .ensureAllClassesAreContainedInArchitecture()
                .layer("service")
                .definedBy("dev.loom.query.service")
                .layer("operators")
                .definedBy("dev.loom.query")
                .layer("execution")
                .definedBy(
                        "dev.loom.query.rank",
                        "dev.loom.query.histogram",
                        "dev.loom.query.group",
                        "dev.loom.query.diff",
                        "dev.loom.query.series",
                        "dev.loom.query.sampling",
                        "dev.loom.query.correlation")
                .layer("walk")
                .definedBy("dev.loom.query.walk")
                .layer("plan")
                .definedBy("dev.loom.query.plan")
                .layer("traces")
                .definedBy("dev.loom.query.trace")
                .layer("columns")
                .definedBy("dev.loom.query.column")
                .layer("expressions")
                .definedBy("dev.loom.query.where", "dev.loom.query.text", "dev.loom.query.match")
                .layer("model")
                .definedBy("dev.loom.query.model")
                .whereLayer("service")
                .mayOnlyAccessLayers("operators", "traces", "expressions", "model")
                .whereLayer("operators")
                .mayOnlyAccessLayers("execution", "walk", "plan", "expressions", "model")
                .whereLayer("execution")
                .mayOnlyAccessLayers("walk", "plan", "model")
                .whereLayer("walk")
                .mayOnlyAccessLayers("plan", "expressions", "model")
                .whereLayer("plan")
                .mayOnlyAccessLayers("expressions", "model")
                .whereLayer("traces")
                .mayOnlyAccessLayers("expressions", "model")
                .whereLayer("columns")
                .mayNotAccessAnyLayer()
                .whereLayer("expressions")
                .mayNotAccessAnyLayer()
                .whereLayer("model")
                .mayNotAccessAnyLayer()
                .check(CLASSES.that(resideInAPackage("dev.loom.query..")));
    }

    @Test
    void shouldGiveEveryClassANameOfItsOwn() {
        Map<String, List<String>> packages = CLASSES.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(
                        JavaClass::getSimpleName,
                        TreeMap::new,
                        Collectors.mapping(JavaClass::getPackageName, Collectors.toList())));
        packages.values().removeIf(of -> of.size() == 1);
        assertEquals(Map.of(), packages);
    }

    @Test
    void shouldHaveNoCycleBetweenPackages() {
        slices().assignedFrom(new ByPackage()).should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldHaveNoPairOfClassesThatHoldEachOtherInQuery() {
        Map<JavaClass, Set<JavaClass>> held = CLASSES.stream()
                .filter(type -> type.getPackageName().startsWith("dev.loom.query") && type.isTopLevelClass())
                .flatMap(type -> type.getFields().stream())
                .collect(Collectors.groupingBy(
                        JavaField::getOwner,
                        Collectors.flatMapping(field -> field.getAllInvolvedRawTypes().stream(), Collectors.toSet())));
        Set<String> pairs = new TreeSet<>();
        held.forEach((type, others) -> others.stream()
                .filter(other ->
                        other != type && held.getOrDefault(other, Set.of()).contains(type))
                .forEach(other -> pairs.add(type.getSimpleName() + " and " + other.getSimpleName())));
        assertEquals(Set.of(), pairs);
    }

    @Test
    void shouldNeedAgronaAndTheJdkAloneInCore() {
        classes()
                .that()
                .resideInAnyPackage(CORE)
                .and()
                .resideOutsideOfPackages("dev.loom.bytes..", "dev.loom.compress..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.loom..", "org.agrona..", "java..", "org.jspecify.annotations")
                .check(CLASSES);
        classes()
                .that()
                .resideInAPackage("dev.loom.bytes..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.loom..", "org.agrona..", "java..", "org.jspecify.annotations", "net.openhft..")
                .allowEmptyShould(true)
                .check(CLASSES);
        classes()
                .that()
                .resideInAPackage("dev.loom.compress..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("dev.loom..", "org.agrona..", "java..", "org.jspecify.annotations", "io.airlift..")
                .check(CLASSES);
    }

    @Test
    void shouldNeedCoreAndRegularExpressionsAloneInQuery() {
        classes()
                .that()
                .resideInAPackage("dev.loom.query..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.loom..", "org.agrona..", "java..", "org.jspecify.annotations", "com.google.re2j")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.loom.query.where", "dev.loom.server.prometheus.promql")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("com.google.re2j")
                .check(CLASSES);
    }

    @Test
    void shouldUseParquetInItsModuleAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.loom.parquet..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.apache.parquet..", "dev.loom.parquet..")
                .check(CLASSES);
    }

    @Test
    void shouldNeedNoCommandLineInServer() {
        noClasses()
                .that()
                .resideInAPackage("dev.loom.server..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("picocli..", "dev.loom.cli..")
                .check(CLASSES);
    }

    @Test
    void shouldNotPrintOrExitInLibraries() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE)
                .or()
                .resideInAnyPackage("dev.loom.query..", "dev.loom.otlp..", "dev.loom.parquet..", "dev.loom.server..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .callMethod(System.class, "exit", int.class)
                .check(CLASSES);
    }

    /** A fault in a mapped file that somebody cuts, or that the disk does not give, may end the process. */
    @Test
    void shouldMapStagingAloneInCore() {
        noClasses()
                .that()
                .resideInAnyPackage(CORE)
                .and()
                .doNotHaveFullyQualifiedName(MappedFile.class.getName())
                .and() // which passes it on
                .doNotHaveFullyQualifiedName(ForwardingFile.class.getName())
                .should()
                .callMethod(LoomFile.class, "map", boolean.class, long.class, long.class)
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage(CORE)
                .and()
                .resideOutsideOfPackage("dev.loom.io..")
                .should()
                .callMethod(FileChannel.class, "map", FileChannel.MapMode.class, long.class, long.class)
                .check(CLASSES);
    }

    /** Gives each package a slice of its own, the root package too. */
    private static final class ByPackage implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            return SliceIdentifier.of(javaClass.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
