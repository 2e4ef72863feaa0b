#!/usr/bin/env python3
"""The clients' own suites against Braid, or against Apache Kafka itself: `run.py [--on braid|kafka] [--tests PATTERN] [--everyday] [SUITE…]`.

Writes build/compat/BROKER.json and, for Braid's whole run, the page docs/compatibility.md. Ends with 1 if Braid does worse than Kafka in a
test that is not listed, or if a listed one passes; with 77 if no suite could be run on this machine."""

import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/compat"
os.environ.setdefault("BRAID_CLIENTS_WORK", str(ROOT / "build/suites"))
sys.path[:0] = [str(HERE.parent / "control"), str(HERE.parent / "clients")]

import braid
import fetched
import go
import kafka
import kafka_tools
import librdkafka
import page
import scope
import servers
from suite import FAIL, Result

SUITES = {suite.name: suite for suite in (librdkafka.Librdkafka, go.FranzGo, go.KafkaGo, kafka_tools.KafkaTools)}
BROKERS = {kind.name: kind for kind in (braid.Braid, kafka.Kafka)}
NOT_RUN = 77

# What every suite's broker is told, Kafka and Braid alike.
SETTINGS = {
    "auto.create.topics.enable": "true",
    "default.replication.factor": "1",
    "group.initial.rebalance.delay.ms": "0",
    "num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.replication.factor": "1",
}


def say(text):
    print(f"compat: {text}", file=sys.stderr, flush=True)


def wanted(suite, pattern, everyday):
    """The tests of a prepared suite that are to be run."""
    chosen = scope.rules("everyday.tsv") if everyday else None
    outside = scope.rules("out_of_scope.tsv")
    return [test for test in suite.tests() if fnmatch.fnmatchcase(test, pattern) and not scope.first(outside, suite.name, test)
            and (chosen is None or scope.first(chosen, suite.name, test))]


def run_suite(suite, kind, tests):
    """Yields a Result per test, as they end. Tests that need the same broker share one."""
    profiles = {}
    for test in tests:
        profiles.setdefault(tuple(sorted(suite.profile(test).items())), []).append(test)
    for number, (profile, sharing) in enumerate(profiles.items()):
        folder = WORK / kind.name / suite.name / f"broker-{number}"
        logs = WORK / kind.name / suite.name / "logs"
        logs.mkdir(parents=True, exist_ok=True)
        servers.stop(folder)  # of a run that was cut off
        port = suite.port or servers.free_ports(1)[0]
        try:
            servers.start(kind, folder, 1, port, {**SETTINGS, **suite.broker_settings(port), **dict(profile)})
        except servers.CannotStart as reason:
            yield from (Result(suite.name, test, FAIL, 0, f"no broker: {str(reason)[-200:]}") for test in sharing)
            continue
        try:
            with concurrent.futures.ThreadPoolExecutor(suite.streams) as pool:
                running = [pool.submit(one, suite, test, f"127.0.0.1:{port}", logs) for test in sharing]
                for ended in concurrent.futures.as_completed(running):
                    yield ended.result()
        finally:
            servers.stop(folder)


def one(suite, test, broker, logs):
    log = logs / f"{test.replace('/', '_').replace(' ', '_')}.log"
    log.unlink(missing_ok=True)
    return suite.result(test, broker, log)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)} (default: all)")
    parser.add_argument("--on", choices=BROKERS, default="braid")
    parser.add_argument("--tests", default="*", help="a pattern of names, as in a shell")
    parser.add_argument("--everyday", action="store_true", help="the selection that `./dev test` runs")
    asked = parser.parse_args()
    unknown = set(asked.suites) - set(SUITES)
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    results, not_run = [], {}
    for name in asked.suites or SUITES:
        suite = SUITES[name]()
        try:
            say(f"{name}: fetching and building")
            suite.prepare()
            tests = wanted(suite, asked.tests, asked.everyday)
            say(f"{name}: {len(tests)} tests on {asked.on}")
            for result in run_suite(suite, BROKERS[asked.on], tests):
                results.append(result)
                say(f"{name}: {len(results)} {result.test} {result.outcome} {result.seconds} s {result.detail}")
        except fetched.NotRun as reason:
            not_run[name] = str(reason)
            say(f"{name}: not run: {reason}")
    whole = not asked.suites and asked.tests == "*" and not asked.everyday and not not_run
    judged = page.judge(results)
    page.write_json(WORK / f"{asked.on}.json", asked.on, results)
    if whole and asked.on == "braid":
        page.write(ROOT / "docs/compatibility.md", judged, {name: SUITES[name].version for name in SUITES})
    for line in page.summary(judged, not_run):
        print(line)
    if not results:
        return NOT_RUN
    return 1 if asked.on == "braid" and any(each.wrong for each in judged) else 0


if __name__ == "__main__":
    sys.exit(main())
