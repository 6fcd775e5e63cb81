"""A library of our own between a JVM and the files of its store, for faults within single calls: shim.c, which tells how."""
import mmap
import os
import struct
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.c")
KINDS = ("open", "read", "write", "truncate", "sync", "name")
DIRECTORY = 512
FIELDS = ("kind", "first", "end", "error", "part", "most", "keeps", "hits", "kept", *KINDS)
OFFSETS = {name: DIRECTORY + 8 * i for i, name in enumerate(FIELDS)}
BLOCK = 4096
BLOCKS, BLOCKS_MAX = DIRECTORY + 8 * len(FIELDS), 16_384
HEADER = struct.Struct("<qqq")  # state, inode, number
CLEAN = 0
EVER = 1 << 62
WHOLE = 1_000


class Shim:
    """The shim of the processes that a cycle starts with `environment`. Counts of calls go on over all of them."""

    def __init__(self, cycle):
        library = os.path.join(cycle.directory, "shim.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], check=True)
        control = os.path.join(cycle.directory, "shim.control")
        length = BLOCKS + BLOCKS_MAX * (HEADER.size + BLOCK)
        with open(control, "w+b") as file:
            file.truncate(length)
            self.page = mmap.mmap(file.fileno(), length)
        cycle.open.callback(self.page.close)
        cycle.store = os.path.realpath(cycle.store)  # calls name it as it is opened
        directory = cycle.store.encode()
        self.page[:len(directory)] = directory
        self.environment = {"LD_PRELOAD": library, "SHIM_CONTROL": control}

    def get(self, name):
        return struct.unpack_from("<q", self.page, OFFSETS[name])[0]

    def set(self, name, value):
        struct.pack_into("<q", self.page, OFFSETS[name], value)

    def arm(self, kind, error=0, ahead=1, count=1, part=0):
        """Calls of this kind fail with an error, the one so many ahead first; without an error, that one ends the process."""
        self.disarm()
        for name, value in (("kind", KINDS.index(kind)), ("error", error), ("part", part), ("first", self.get(kind) + ahead)):
            self.set(name, value)
        self.set("end", min(EVER, self.get("first") + count))

    def disarm(self):
        self.set("end", 0)

    def cut_power(self, store, lies=False):
        """Leaves of the files what was synced, or less if syncs are to have lied. Nobody has them open."""
        paths = {}
        for folder, _, files in os.walk(store):
            for name in files:
                path = os.path.join(folder, name)
                paths[os.stat(path).st_ino] = path
        lost = 0
        for i in range(self.get("kept")):
            at = BLOCKS + i * (HEADER.size + BLOCK)
            state, inode, number = HEADER.unpack_from(self.page, at)
            if (state != CLEAN or lies) and inode in paths:
                with open(paths[inode], "r+b") as file:
                    length = max(0, os.fstat(file.fileno()).st_size - number * BLOCK)
                    file.seek(number * BLOCK)
                    file.write(self.page[at + HEADER.size:at + HEADER.size + BLOCK][:length])
                lost += 1
        self.set("kept", 0)
        return lost
