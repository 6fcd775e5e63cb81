"""File systems to mount, to fill and to take away."""
import functools
import os
import shutil
import subprocess
import tempfile
import time

import loom

MIB = 1 << 20


@functools.cache
def may_mount():
    """Whether this is root, and not that of a container which forbids to mount."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True).returncode == 0
        return mounted and subprocess.run(["umount", folder], capture_output=True).returncode == 0


def mount(cycle, *args, name="disk"):
    target = os.path.join(cycle.directory, name)
    os.makedirs(target, exist_ok=True)
    subprocess.run(["mount", *args, target], check=True, capture_output=True)
    return target


def unmount(target):
    for _ in range(200):
        if subprocess.run(["umount", target], capture_output=True).returncode == 0:
            return
        time.sleep(0.02)  # a process that was killed still has it
    raise RuntimeError(f"can't unmount: {target}")


def mount_again(cycle, disk, *args):
    """Mounts a file system that was shut down. A mount namespace of others may keep it alive, and shut down, for a while."""
    until = time.monotonic() + loom.DEADLINE_S
    while True:
        mount(cycle, *args)
        try:
            with open(os.path.join(disk, "probe"), "w"):
                return
        except OSError:
            unmount(disk)
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def fill(path):
    """Takes the last byte of a file system."""
    with open(path, "ab", buffering=0) as file:
        length = MIB
        while length:
            try:
                file.write(b"\0" * length)
            except OSError:
                length //= 2
