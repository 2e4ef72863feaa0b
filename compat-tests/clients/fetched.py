"""Clients that come from a registry: fetched once into the build folder, and again when what is asked for has changed."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("BRAID_CLIENTS_WORK", HERE.parents[1] / "build/release/clients"))
FETCH_SECONDS = 300  # on a slow line


class NotRun(Exception):
    """The client is not to be had on this machine; the text says what is missing."""


def needs(tool, package):
    if shutil.which(tool) is None:
        raise NotRun(f"{tool} is missing: apt-get install {package}")


@contextlib.contextmanager
def folder(name, *sources):
    """A folder of the build, and whether it must be filled: it holds what the sources' text asked for. One process at a time is in it."""
    place = WORK / name
    place.mkdir(parents=True, exist_ok=True)
    asked, filled = "\n".join(source.read_text() for source in sources), place / "filled"
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stale = not filled.exists() or filled.read_text() != asked
        if stale:
            filled.unlink(missing_ok=True)
        yield place, stale
        if stale:
            filled.write_text(asked)


def run(command, seconds=FETCH_SECONDS, environment=None, **options):
    """Fetching fails where no registry answers."""
    command = [str(word) for word in command]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=seconds, check=False,
                               env={**os.environ, **(environment or {})}, **options)
    except subprocess.TimeoutExpired:
        raise NotRun(f"{command[0]} took more than {seconds} s") from None
    if ended.returncode != 0:
        raise NotRun(f"{' '.join(command)[:200]}: {(ended.stdout + ended.stderr)[-1500:]}")


def build(command, **options):
    """What is ours must build: else the test fails."""
    subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, timeout=FETCH_SECONDS, check=True, **options)


def python():
    """The interpreter of a virtual environment with the clients that PyPI has."""
    with folder("python", HERE / "requirements.txt") as (place, stale):
        program = place / "environment/bin/python"
        if stale:
            shutil.rmtree(place / "environment", ignore_errors=True)
            run([sys.executable, "-m", "venv", place / "environment"])
            run([program, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "-r", HERE / "requirements.txt"])
    return program


def java():
    """The words before the arguments of the Java driver."""
    for tool in ("java", "javac"):
        needs(tool, "openjdk-17-jdk-headless")
    needs("mvn", "maven")
    with folder("jars", HERE / "pom.xml") as (place, stale):
        jars = place / "classpath.txt"
        if stale:
            _resolve(jars)
    sources = sorted((HERE / "java").rglob("*.java"))
    with folder("java", HERE / "pom.xml", *sources) as (place, stale):
        classes = place / "classes"
        if stale:
            shutil.rmtree(classes, ignore_errors=True)
            build(["javac", "--release", "17", "-Xlint:all,-processing", "-Werror", "-d", classes, "-cp", jars.read_text(), *sources])
    return ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp", f"{classes}{os.pathsep}{jars.read_text()}", "clients.Driver"]


def go(client):
    """The program of one of the clients in Go."""
    needs("go", "golang")
    source = HERE / "go"
    with folder(f"go_{client}", source / "go.sum", source / "driver/driver.go", source / client / "main.go") as (place, stale):
        program = place / client
        if stale:
            run(["go", "mod", "download"], cwd=source)
            build(["go", "build", "-o", program, f"./{client}"], cwd=source)
    return [program]


def _resolve(jars):
    """From Maven's local repository, or fetched."""
    command = ["-q", "-B", "-f", HERE / "pom.xml", "dependency:build-classpath", f"-Dmdep.outputFile={jars}"]
    try:
        run(["mvn", "-o", *command])
    except NotRun:
        run(["mvn", *command])
