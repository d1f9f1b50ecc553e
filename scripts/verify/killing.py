#!/usr/bin/python3
"""Runs that are killed, interrupted, out of room or damaged go on to the same end, bit for bit."""
import os
import re
import resource
import shutil
import signal
import subprocess
import time

import common
from common import np


def first_column(path):
    with open(path) as file:
        return [line.split(",", 1)[0] for line in file]


class Bench:
    """One scene, its undisturbed end, and a place for folders."""

    def __init__(self, options, checks, root):
        self.options, self.checks, self.root = options, checks, root
        self.program = options.program
        self.scene = common.write_scene(root, "swarm.yaml", common.SWARM)
        self.values = {"params/dt": 0.001, "params/frames": 24}
        self.words = ["--threads", 1]
        self.calibrate(0.8 if options.quick else 3.0)
        self.count = 0

    def calibrate(self, seconds):
        """As many frames as make a run of about this length."""
        for attempt in range(3):
            folder = os.path.join(self.root, f"reference{attempt}")
            start = time.monotonic()
            self.reference = common.run(self.program, self.scene, folder, self.values, *self.words)
            self.seconds = time.monotonic() - start
            if self.seconds > 0.7 * seconds:
                break
            frames = self.values["params/frames"]
            self.values["params/frames"] = max(frames + 1, min(1000, int(frames * 1.1 * seconds /
                                                                         self.seconds)))
        self.frames = self.reference.numbered("frame")[-1]
        self.hash = common.info_hash(self.program, self.reference.state())
        self.size = sum(os.path.getsize(self.reference.path(name))
                        for name in os.listdir(self.reference.folder))
        self.checks.note(f"the run: {self.frames} frames, {self.seconds:.2f} s, {self.size >> 10} kB,"
                         f" hash {self.hash}")

    def folder(self):
        self.count += 1
        return os.path.join(self.root, f"run{self.count}")

    def start(self, folder, resume=False, **keywords):
        words = (["resume", folder] if resume else
                 ["run", self.scene, "--out", folder, *common.overrides(self.values)])
        return subprocess.Popen([self.program, *map(str, words + self.words)],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **keywords)

    def wait_for_frame(self, folder, frame):
        path = common.Output(folder).frame(frame)
        end = time.monotonic() + 60
        while not os.path.exists(path) and time.monotonic() < end:
            time.sleep(0.001)

    def kill_after(self, folder, resume, delay):
        """Starts, waits, kills; true when the program was still at work."""
        process = self.start(folder, resume)
        try:
            process.communicate(timeout=delay)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return True

    def readable(self, folder):
        """What the folder looks like to `info`: '' when fine or when nothing was begun."""
        if not os.path.exists(os.path.join(folder, "scene.yaml")):
            return ""
        result = common.call(self.program, "info", folder)
        return "" if result.code == 0 else f"info: exit code {result.code}, {result.last_words()}"

    def go_on(self, folder):
        """To the end without disturbance: resume, or run again when nothing was begun."""
        if os.path.exists(os.path.join(folder, "scene.yaml")):
            return common.call(self.program, "resume", folder, "--quiet", *self.words)
        return common.call(self.program, "run", self.scene, "--out", folder, "--quiet",
                           *common.overrides(self.values), *self.words)

    def faults(self, folder):
        """In what a finished folder differs from the undisturbed one."""
        output, found = common.Output(folder), []
        if output.numbered("state")[-1:] != [self.frames]:
            return [f"last state {output.numbered('state')[-1:]}"]
        if common.info_hash(self.program, output.state()) != self.hash:
            found.append("hash")
        if output.numbered("frame") != self.reference.numbered("frame"):
            found.append("list of frames")
        else:
            for frame in output.numbered("frame"):
                mine, other = output.frame(frame), self.reference.frame(frame)
                if common.digest(mine) != common.digest(other) and common.different(mine, other):
                    found.append(f"frame {frame}")
        if common.digest(output.path("probes.csv")) != common.digest(
                self.reference.path("probes.csv")):
            found.append("probes.csv")
        if first_column(output.path("stats.csv")) != first_column(self.reference.path("stats.csv")):
            found.append("steps in stats.csv")
        extra = set(os.listdir(folder)) - set(os.listdir(self.reference.folder))
        extra -= {f"state_{n:05d}.h5" for n in output.numbered("state")}
        if extra:
            found.append(f"left over: {', '.join(sorted(extra))}")
        return found

    def finish(self, label, folder, keep=False):
        """Goes on to the end and compares."""
        result = self.go_on(folder)
        faults = self.faults(folder) if result.code == 0 else [f"exit code {result.code}: "
                                                               f"{result.last_words()}"]
        good = self.checks.true(label, not faults, "; ".join(faults) if faults else
                                "same end")
        if good and not keep:
            shutil.rmtree(folder)
        return result


def check_kills(bench, kills):
    random = np.random.default_rng(9)
    interrupted = 0
    for case in range(kills):
        early = case % 4 == 0
        delay = random.uniform(0, 0.05) if early else random.uniform(0.02, 0.98) * bench.seconds
        for _ in range(4): # where other work beside it has ended, runs are faster than the one that was timed
            folder = bench.folder()
            at_work = bench.kill_after(folder, False, delay)
            if at_work:
                break
            delay *= 0.6
        trouble = bench.readable(folder)
        label = f"killed after {delay:.3f} s"
        if case % 3 == 1:  # and once more, while it resumes
            delay = random.uniform(0, 0.6) * bench.seconds
            at_work |= bench.kill_after(folder, os.path.exists(os.path.join(folder, "scene.yaml")),
                                        delay)
            trouble = trouble or bench.readable(folder)
            label += f" and again after {delay:.3f} s"
        interrupted += at_work
        if trouble:
            bench.checks.true(f"{label}: folder readable", False, trouble)
        bench.finish(label, folder)
    bench.checks.above("kills that hit a run at work", interrupted, 0.7 * kills)


def check_interrupt(bench, signals):
    folder = bench.folder()
    process = bench.start(folder)
    bench.wait_for_frame(folder, bench.frames // 2)
    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    start = time.monotonic()
    _, stderr = process.communicate(timeout=60)
    text = stderr.decode(errors="replace")
    label = f"{signals} x Ctrl-C"
    if signals == 1:
        bench.checks.true(f"{label}: ends by itself", process.returncode == 130,
                          f"exit code {process.returncode} after {time.monotonic() - start:.2f} s")
        said = [line for line in text.splitlines() if "resume" in line]
        bench.checks.true(f"{label}: says how to resume", said, said[-1] if said else text[-200:])
        output = common.Output(folder)
        last_frame = output.numbered("frame")[-1]
        bench.checks.true(f"{label}: stopped in the middle", 0 < last_frame < bench.frames,
                          f"frame {last_frame} of {bench.frames}")
        bench.checks.true(f"{label}: state saved", output.numbered("state")[-1] == last_frame,
                          f"last state {output.numbered('state')[-1]}, last frame {last_frame}")
    bench.checks.true(f"{label}: folder readable", not bench.readable(folder),
                      bench.readable(folder))
    bench.finish(f"{label}, then resume", folder)


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def expect_failure(bench, label, process, folder, frames_before):
    _, stderr = process.communicate(timeout=120)
    text = stderr.decode(errors="replace").strip()
    bench.checks.true(f"{label}: exit code 1", process.returncode == 1, f"{process.returncode}")
    bench.checks.true(f"{label}: a message", "write" in text,
                      text.splitlines()[-1][:160] if text else "nothing on stderr")
    bench.checks.true(f"{label}: folder readable", not bench.readable(folder),
                      bench.readable(folder))
    output = common.Output(folder)
    frames, states = output.numbered("frame"), output.numbered("state")
    bench.checks.true(f"{label}: failed in the middle",
                      frames and frames_before <= frames[-1] < bench.frames,
                      f"last frame {frames[-1:]} of {bench.frames}, states {states}")
    named = re.search(r"frame (\d+) is good", text)
    bench.checks.true(f"{label}: the frame it calls good is there",
                      named and int(named[1]) in frames, named[0] if named else "none is named")
    for number in states[-2:]:
        try:
            common.info_hash(bench.program, output.state(number))
        except RuntimeError as error:
            bench.checks.true(f"{label}: state {number} intact", False, str(error)[:200])


def half_run(bench):
    folder = bench.folder()
    common.run(bench.program, bench.scene, folder, bench.values, "--frames", bench.frames // 2,
               *bench.words)
    return folder


def sizes(bench):
    """The largest table, the state and a frame of the undisturbed run, bytes."""
    size = lambda name: os.path.getsize(bench.reference.path(name))
    tables = [name for name in os.listdir(bench.reference.folder) if not name.endswith(".h5")]
    return max(map(size, tables)), os.path.getsize(bench.reference.state()), os.path.getsize(
        bench.reference.frame(1))


def check_file_limit(bench):
    """Files may not grow past a limit, as with `ulimit -f`."""
    # Many bodies and few steps: a frame is the largest file. The limit comes down during the run.
    wide = Variant(bench, "wide", {"params/boxes": 12, "params/rings": 160, "params/dt": 1, "params/frames": 120})
    table, state, frame = sizes(wide)
    wide.checks.true("wide: a frame is the largest file", frame > max(table, state) + 4096,
                     f"frame {frame}, state {state}, table {table} bytes")
    limit = (max(table, state) + frame) // 2
    folder = wide.folder()
    process = wide.start(folder)
    wide.wait_for_frame(folder, wide.frames // 3)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (limit, limit))
    expect_failure(wide, "no frame past a limit", process, folder, 1)
    process = wide.start(folder, True, preexec_fn=limited(limit))
    process.communicate(timeout=120)
    wide.checks.true("no frame past a limit: resume fails, too", process.returncode == 1,
                     f"exit code {process.returncode}")
    wide.finish("no frame past a limit, then resume", folder)

    # A few bodies and many steps: the tables outgrow every other file.
    few = Variant(bench, "few", {"params/boxes": 1, "params/rings": 4, "params/dt": 0.0005,
                                 "params/frames": 30,
                                 "probes": "[{name: box_0, quantities: [position, orientation]}]"})
    table, state, frame = sizes(few)
    few.checks.true("few: a table is the largest file", table > 2 * max(state, frame),
                    f"frame {frame}, state {state}, table {table} bytes")
    folder = few.folder()
    process = few.start(folder, False, preexec_fn=limited(table * 6 // 10))
    expect_failure(few, "no table past a limit", process, folder, 1)
    few.finish("no table past a limit, then resume", folder)


class Variant(Bench):
    """The same with other values of the scene."""

    def __init__(self, bench, name, values):
        self.__dict__.update(bench.__dict__)
        self.root = os.path.join(bench.root, name)
        os.mkdir(self.root)
        self.values = values
        self.calibrate(0.0)
        self.count = 0


def check_full_disk(bench):
    place = os.path.join(bench.root, "small disk")
    os.mkdir(place)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={max(256, bench.size // 2048)}k", "tmpfs", place]
    try:
        done = subprocess.run(mount, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        mounted = done.returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        bench.checks.note("skipped: a full disk (mounting a small file system is not permitted)")
        return
    try:
        folder = os.path.join(place, "run")
        process = bench.start(folder)
        expect_failure(bench, "disk full", process, folder, 1)
        again = common.call(bench.program, "resume", folder, "--quiet")
        bench.checks.true("disk still full: resume fails with code 1", again.code == 1,
                          f"{again.code}, {again.last_words()}")
        bench.checks.true("disk still full: folder readable", not bench.readable(folder),
                          bench.readable(folder))
        subprocess.run(["mount", "-o", f"remount,size={bench.size * 4 // 1024}k", place], check=True)
        bench.finish("disk full, then room, then resume", folder)
    finally:
        subprocess.run(["umount", "-l", place], check=False)


def flip(path, random, count=8):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        for position in random.integers(0, size, count):
            file.seek(position)
            byte = file.read(1)[0]
            file.seek(position)
            file.write(bytes([byte ^ int(random.integers(1, 256))]))


def check_damage(bench):
    random = np.random.default_rng(4)

    def truncate(path):
        os.truncate(path, os.path.getsize(path) // 3)

    def zero(path):
        size = os.path.getsize(path)
        with open(path, "r+b") as file:
            file.write(bytes(size))

    damages = {"bytes flipped": lambda path: flip(path, random), "cut to a third": truncate,
               "cut to nothing": lambda path: os.truncate(path, 0), "all zeros": zero,
               "deleted": os.unlink}
    for name, damage in damages.items():
        for manifest in (True,) if bench.options.quick else (True, False):
            folder = bench.folder()
            shutil.copytree(bench.reference.folder, folder)
            output = common.Output(folder)
            states = output.numbered("state")
            if manifest and name == "bytes flipped":
                bench.checks.true("two states are kept", len(states) == 2, f"{states}")
            damage(output.state(states[-1]))
            if not manifest:
                os.unlink(output.path("manifest.txt"))
            label = f"last state: {name}{'' if manifest else ', no manifest'}"
            result = bench.finish(label, folder)
            if manifest and name != "deleted":
                said = [line for line in result.stderr.splitlines()
                        if os.path.basename(output.state(states[-1])) in line]
                bench.checks.true(f"{label}: named in a message", said,
                                  said[0][:160] if said else result.stderr[-160:])
    folder = bench.folder()
    shutil.copytree(bench.reference.folder, folder)
    output = common.Output(folder)
    for number in output.numbered("state"):
        flip(output.state(number), random)
    result = bench.go_on(folder)
    if result.code == 0:
        bench.checks.true("both states damaged: begins again", not bench.faults(folder),
                          "; ".join(bench.faults(folder)) or "same end")
    else:
        bench.checks.true("both states damaged: refused with a message",
                          result.code in (1, 2) and result.stderr.strip(),
                          f"exit code {result.code}, {result.last_words()}")
    shutil.rmtree(folder)

    folder = half_run(bench)
    with open(os.path.join(folder, "manifest.txt"), "a") as file:
        file.write("state_000")
    with open(os.path.join(folder, "stats.csv"), "a") as file:
        file.write("12,0.3")
    for name in (f"frame_{bench.frames // 2 + 1:05d}.h5.tmp", "state_00000.h5.tmp"):
        with open(os.path.join(folder, name), "w") as file:
            file.write("half a file")
    bench.finish("lines cut short in manifest.txt and stats.csv, files half written", folder)


def check_lock(bench):
    folder = bench.folder()
    process = bench.start(folder)
    bench.wait_for_frame(folder, 2)
    for words in (["run", bench.scene, "--out", folder], ["resume", folder]):
        result = common.call(bench.program, *words)
        bench.checks.true(f"second `{words[0]}` into a folder at work: refused", result.code == 2,
                          f"exit code {result.code}, {result.last_words()}")
    process.communicate(timeout=120)
    bench.checks.true("the first is not disturbed",
                      process.returncode == 0 and not bench.faults(folder),
                      f"exit code {process.returncode}")
    shutil.rmtree(folder)


def main():
    options = common.arguments(__doc__, lambda parser: parser.add_argument(
        "--kills", type=int, help="how many runs to kill (default 20, quick 4)"))
    checks = common.Checks()
    with common.temporary() as root:
        bench = Bench(options, checks, root)
        check_kills(bench, options.kills or (4 if options.quick else 20))
        check_interrupt(bench, 1)
        check_interrupt(bench, 2)
        check_lock(bench)
        check_file_limit(bench)
        check_full_disk(bench)
        check_damage(bench)
    checks.finish()


if __name__ == "__main__":
    main()
