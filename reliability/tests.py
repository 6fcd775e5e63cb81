"""The rows that are tests within a JVM: what Maven runs for a cycle, and the counts that the tests print.

Each of them prints, once it has passed, a line such as `row=R14 faults=254 checked=1016 seed=7`; more may follow.
"""
import os
import re
import subprocess

import loom
from oracle import Violation, require

SEEDS = 1_000_000  # of a cycle's tests, each of whose rounds has the next one
COUNTS = re.compile(r"^row=(\w+) faults=(\d+) checked=(\d+) seed=", re.MULTILINE)


def maven(cycle, row, modules, tests, lines_min, properties):
    """Runs tests with their long form's properties. Whatever they leave behind, as when they fail, is in the cycle's directory."""
    temporary = os.path.join(cycle.directory, "tmp")
    os.makedirs(temporary)
    given = {"test": tests, "surefire.failIfNoSpecifiedTests": "false", "argLine": f"-Djava.io.tmpdir={temporary}",
             "loom.test.seed": cycle.seed * SEEDS % (1 << 63), **{f"loom.{name}": value for name, value in properties.items()}}
    log = os.path.join(cycle.directory, "log")
    command = ["./mvnw", "-B", "-q", "test", "-pl", modules, "-am", *(f"-D{name}={value}" for name, value in given.items())]
    with open(log, "w+") as out:
        code = subprocess.run(command, cwd=loom.ROOT, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
        out.seek(0)
        text = out.read()
    lines = [found for found in COUNTS.findall(text) if found[0] == row]
    for _, faults, checked in lines:
        cycle.faults += int(faults)
        cycle.checked += int(checked)
    if code:
        raise Violation(f"tests failed: log={log}, command={' '.join(command)}")
    require(cycle.faults and len(lines) >= lines_min, lambda: f"a test has printed no counts: row={row}, log={log}")


def row(name, fault, modules, tests, lines=None, **properties):
    """Properties are without `loom.`, and have `_` for a dot; a cycle takes about a minute with them. Each test prints a line, or so many."""
    properties = {key.replace("_", "."): value for key, value in properties.items()}
    return f"{name}/tests", (lambda cycle: maven(cycle, name, modules, tests, lines or len(tests.split(",")), properties), fault, ())


ROWS = dict([
    row("R1", "crash between any two calls to the disk", "loom-query",
        "EveryCutTest#shouldKeep*,PowerCutTest#shouldKeepWhatIsDurableWhenThePowerIsCut", rounds=10, stride=1),
    row("R5", "crash during recovery", "loom-query", "EveryCutTest#shouldFind*", rounds=5, stride=1),
    row("R6", "crash at each kind of call of rotation, deletion, compression", "loom-core", "RetentionCutTest", rounds=60),
    row("R7", "truncation", "loom-query,loom-cli",
        "DamageTest#*Cut,CompressedDamageTest#*Cut,TextDamageTest#*Cut,ArchiveDamageTest#*Truncation", stride=300),
    row("R8", "a flipped bit", "loom-query,loom-cli",
        "DamageTest#*Flipped,CompressedDamageTest#*FlippedBit,TextDamageTest#*Flipped,ArchiveDamageTest#*FlippedBit",
        stride=300),
    row("R9", "blocks zeroed, doubled, swapped, stale, of another store", "loom-query", "MisplacedBlocksTest", mutations=2_000),
    row("R10", "files whose contents lie, checksums right", "loom-core,loom-query", "HostileFilesTest,HostileIndexTest",
        lines=17, hostile_inputs=200),
    row("R11", "queries with and without indexes", "loom-query", "IndexQueryTest", queries=30_000),
    row("R14", "any call fails, once or for ever", "loom-query", "FailingCallsTest#shouldOpenAgain*", stride=1),
    row("R15", "a sync fails once", "loom-query", "PowerCutTest#shouldKeepWhatIsDurableWhenSyncsFailBefore", rounds=60),
    row("R16", "short writes and reads", "loom-core", "DiskFileTest", rounds=2_000),
    row("R19", "writer laps the evictor", "loom-query", "RaceTest", race_seconds=60),
    row("R20", "clocks step, jump, freeze", "loom-core", "RandomClocksTest,SnapshotReadTest#*ClockJumps", rounds=20_000,
        stores=50),
    row("R23", "no memory; stores opened and closed", "loom-core", "AllocationFaultsTest,RepeatedOpeningsTest",
        lines=6, stride=2, openings=5_000),
    row("R24", "interrupts", "loom-core", "InterruptTest", interrupts=100_000),
    row("R25", "readers race the writer", "loom-query", "RaceTest", race_seconds=60),
    row("R26", "closing under readers", "loom-core", "ReaderCloseTest", rounds=1_000),
    row("R27", "stores and archives of earlier versions", "loom-query,loom-cli", "GoldenAnswersTest,GoldenArchiveTest"),
    row("R28", "hostile OTLP", "loom-ingest-otlp", "IngestDifferentialTest", otlp_mutations=1_000_000),
    row("R29", "compression bombs", "loom-ingest-otlp", "HostileClientsTest,DisturbanceTest,ZstdDecoderTest#*Mutations*",
        otlp_mutations=100_000),
    row("R31", "slow and many clients", "loom-ingest-otlp,loom-server",
        "HostileClientsTest,DisturbanceTest,ProtectionTest#shouldEnd*+shouldLetSlow*+shouldLetClients*,WatchedConnectionTest,"
        "IdleReadersTest,LeavingClientsTest,IngestServerTest#shouldEnd*"),
    row("R32", "what each port must refuse", "loom-server", "RefusedRequestsTest,EveryRouteTest,HostileParametersTest"),
    row("R33", "many sources, values that never come twice", "loom-ingest-otlp", "CardinalityTest", otlp_values=1_000_000),
    row("R34", "control characters on a terminal", "loom-cli", "RecordPrinterTest", printed_inputs=100_000),
])
