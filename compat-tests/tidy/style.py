#!/usr/bin/env python3
"""Style check: the rules about names, sizes and places that a compiler does not know. Sizes of functions and forms of names are clang-tidy's.

usage: style.py PROJECT_ROOT
"""

import re
import sys

from source_tree import Finding, files, lines, report

FILE_LINES_MAX = 500
TOP_FOLDERS = ("protocol", "storage", "broker")
SHAPELESS = re.compile(r"(^|[_/])(util|utils|common|manager|helper|helpers|misc|impl)(_|/|\.|$)", re.IGNORECASE)
SHAPELESS_TYPE = re.compile(r"^\s*(?:class|struct)\s+\w*(Manager|Helper|Util|Utils|HandlerBase|Impl)\b")
NAMESPACE = re.compile(r"^namespace\s+(braid\S*)\s*\{")
CODE = (".h", ".cc")

# (what it is, pattern, the files that may use it): the outside world has one door each.
DOORS = [
    ("the wall clock and the monotonic clock", re.compile(r"(system|steady)_clock::now\s*\("), re.compile(r"_clock\.(h|cc)$|_bench\.cc$|_test\.cc$")),
    ("randomness", re.compile(r"\bstd::random_device\b|\b(getrandom|s?rand)\s*\("), re.compile(r"random(_\w+)?\.(h|cc)$|_test\.cc$|_fuzz\.cc$")),
    ("opening files", re.compile(r"(?<![\w.>])(::open|::openat|fopen)\s*\(|\bstd::[io]?fstream\b"),
     re.compile(r"^storage/env/posix_\w+\.cc$|^broker/config/config_file\.cc$|^broker/runtime/(standard_streams|process_figures)\.cc$|^storage/commitlog/document_example\.cc$|^storage/bench/machine\.cc$|_test\.cc$")),
]
# (rule, pattern, where it holds)
NEVER = [
    ("no left-over marks: finish it, or write it down in docs/", re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), re.compile(r".")),
    ("wait for a condition, don't sleep", re.compile(r"sleep_for|sleep_until|\busleep\(|\bnanosleep\("), re.compile(r"\.(h|cc)$")),
    ("errors are values: nothing is thrown, but what new throws when memory runs out",
     re.compile(r"^(?!\s*//)[^\"/]*\bthrow\b(?! std::bad_alloc\(\))"), re.compile(r"\.(h|cc)$")),
    ("nothing is swallowed: catch what you know", re.compile(r"catch\s*\(\s*\.\.\.\s*\)"), re.compile(r"\.(h|cc)$")),
    ("a test asserts something real", re.compile(r"(EXPECT|ASSERT)_TRUE\(true\)|GTEST_SKIP\(\)\s*;"), re.compile(r"_test\.cc$")),
    ("no path of one machine", re.compile(r"(^|[\s\"'=(])/(work|root|home)/"), re.compile(r".")),
]
TEST_BEGIN = re.compile(r"^(TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)")
ASSERTION = re.compile(r"\b(EXPECT|ASSERT)_\w+|\bFAIL\(\)|\bADD_FAILURE|\bexpect_\w+\(|\bcheck_\w+\(|\bmust_\w+\(|static_assert")


def size_and_name(path, numbered):
    findings = []
    if path.suffix in CODE + (".py",) and len(numbered) > FILE_LINES_MAX:
        findings.append(Finding(path, len(numbered), f"{len(numbered)} lines: over {FILE_LINES_MAX} it is two nouns"))
    if path.suffix in CODE and SHAPELESS.search(str(path)):
        findings.append(Finding(path, 1, "name the file and the folder after what is in it"))
    return findings


def header_guard(path, numbered):
    if path.suffix == ".h" and not any(text.strip() == "#pragma once" for _, text in numbered):
        return [Finding(path, 1, "a header begins with #pragma once")]
    return []


def namespaces(path, numbered):
    top = path.parts[0]
    if path.suffix not in CODE or top not in TOP_FOLDERS:
        return []
    return [Finding(path, number, f"the namespace of {top}/ is braid::{top}")
            for number, text in numbered
            for found in [NAMESPACE.match(text)] if found and found.group(1) != f"braid::{top}"]


def line_rules(path, numbered):
    findings = []
    for number, text in numbered:
        for rule, pattern, place in NEVER:
            if place.search(str(path)) and pattern.search(text):
                findings.append(Finding(path, number, rule))
        if path.suffix in CODE:
            if SHAPELESS_TYPE.match(text):
                findings.append(Finding(path, number, "name the type after what it is"))
            for what, pattern, place in DOORS:
                if pattern.search(text) and not place.search(str(path)) and not text.lstrip().startswith("//"):
                    findings.append(Finding(path, number, f"{what} is a parameter here; only {place.pattern} may ask for it"))
    return findings


def tests_assert(path, numbered):
    """Each TEST's body, up to the closing brace in column 0, holds an assertion."""
    findings, open_test = [], None
    for number, text in numbered if path.name.endswith("_test.cc") else []:
        begin = TEST_BEGIN.match(text)
        if begin:
            open_test = [number, f"{begin.group(2)}.{begin.group(3)}", False]
        if open_test and ASSERTION.search(text):
            open_test[2] = True
        if open_test and (text.startswith("}") or (begin and text.rstrip().endswith("}"))):
            if not open_test[2]:
                findings.append(Finding(path, open_test[0], f"the test {open_test[1]} asserts nothing"))
            open_test = None
    return findings


def check(root):
    findings = []
    sources = [path for path in files(root, ".h", ".cc", ".py", ".md", ".txt", ".cmake", ".java", ".sh", "dev", "run")
               if not str(path).startswith("compat-tests/tidy/")]
    for path in sources:
        numbered = lines(root, path)
        for rule in (size_and_name, header_guard, namespaces, line_rules, tests_assert):
            findings += rule(path, numbered)
    return findings, len(sources)


if __name__ == "__main__":
    sys.exit(report("style", *check(sys.argv[1])))
