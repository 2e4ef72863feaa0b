"""The two programs that are compared: Kafka's classes in a JVM, and protocol_recode. Each runs from a file into a file."""

import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SECONDS_PER_RUN = 300  # the longest takes about ten on two idle cores; sanitizers and other tests beside it stretch that
SECONDS_FOR_MAVEN = 600  # a first download on a slow line


class NotRun(Exception):
    """The comparison cannot be made on this machine; the text says what to install."""


class Failed(Exception):
    """A program ended badly or did not end."""


def run(command, stdin, stdout, seconds=SECONDS_PER_RUN):
    """Runs our own child with files as its input and output; it is killed when its time is over."""
    stderr = pathlib.Path(f"{stdout}.err")
    with open(stdin, "rb") as source, open(stdout, "wb") as sink, open(stderr, "wb") as complaints:
        try:
            ended = subprocess.run(command, stdin=source, stdout=sink, stderr=complaints, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise Failed(f"{command[0]} did not end within {seconds} s, its input is {stdin}") from None
    if ended.returncode != 0:
        tail = "\n".join(stderr.read_text(errors="replace").splitlines()[:12])
        raise Failed(f"{' '.join(map(str, command[-4:]))} ended with {ended.returncode}, its input is {stdin}\n{tail}")


class Recode:
    """protocol_recode, asked in lines."""

    def __init__(self, program, work):
        self.program = str(program)
        self.work = work
        if not os.access(self.program, os.X_OK):
            raise Failed(f"{self.program} is not there: build protocol_recode first")

    def list(self):
        """The path of a file with the output of --list."""
        path = self.work / "list.txt"
        run([self.program, "--list"], os.devnull, path)
        return path

    def answers(self, name, lines):
        """One line of answer for each line; `name` says what the files in the work folder are called."""
        answers = self.lines(name, lines)
        if len(answers) != len(lines):
            raise Failed(f"protocol_recode answered {len(answers)} lines to {len(lines)}, see {self.work / name}.in")
        return answers

    def lines(self, name, lines):
        """All lines of answer, for commands that answer with several."""
        asked, told = self.work / f"{name}.in", self.work / f"{name}.out"
        asked.write_text("".join(f"{line}\n" for line in lines))
        run([self.program], asked, told)
        return told.read_text().split("\n")[:-1]


class Kafka:
    """Kafka's classes, compiled into the work folder. Nothing is written to the source tree."""

    def __init__(self, work):
        self.work = work
        for tool in ("java", "javac"):
            if shutil.which(tool) is None:
                raise NotRun(f"{tool} is missing: apt-get install openjdk-17-jdk-headless")
        self.jars = self._jars()
        self.classes = self._compile()

    def main(self, name, stdin, *arguments):
        """Runs a command of Main.java and returns the path of its output."""
        told = self.work / f"{name}.out"
        classpath = f"{self.classes}{os.pathsep}{self.jars}"
        run(["java", "-XX:+UseParallelGC", "-XX:TieredStopAtLevel=1", "-Xmx1g", "-cp", classpath, "conformance.Main", *map(str, arguments)], stdin, told)
        return told

    def _jars(self):
        """The classpath: remembered, or from Maven's local repository, or fetched."""
        known = self.work / "classpath.txt"
        pom = HERE / "pom.xml"
        if known.exists() and known.stat().st_mtime >= pom.stat().st_mtime and _all_exist(known.read_text()):
            return known.read_text()
        if shutil.which("mvn") is None:
            raise NotRun("mvn is missing: apt-get install maven")
        for offline in (["-o"], []):
            known.unlink(missing_ok=True)
            command = ["mvn", *offline, "-q", "-B", "-f", str(pom), "dependency:build-classpath", f"-Dmdep.outputFile={known}"]
            try:
                run(command, os.devnull, self.work / "maven.out", SECONDS_FOR_MAVEN)
            except Failed as why:
                reason = why
                continue
            if known.exists() and _all_exist(known.read_text()):
                return known.read_text()
            reason = "Maven named jars that are not there"
        raise NotRun(f"Maven cannot resolve the jars of Kafka, neither locally nor from a repository: {reason}")

    def _compile(self):
        classes = self.work / "classes"
        shutil.rmtree(classes, ignore_errors=True)
        sources = sorted((HERE / "java" / "conformance").glob("*.java"))
        command = ["javac", "--release", "17", "-Xlint:all", "-Werror", "-d", str(classes), "-cp", self.jars, *map(str, sources)]
        run(command, os.devnull, self.work / "javac.out")
        return classes


def _all_exist(classpath):
    return bool(classpath) and all(pathlib.Path(jar).is_file() for jar in classpath.split(os.pathsep))
