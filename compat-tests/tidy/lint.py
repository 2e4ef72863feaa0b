#!/usr/bin/env python3
"""clang-format and clang-tidy over the sources that people write (not the generated ones).

usage: lint.py --build BUILD_DIR [--jobs N] [FILE ...]

BUILD_DIR needs compile_commands.json and the generated headers. What passed once is not looked at again while neither the file, nor a
header of the project, nor the configuration changed: its stamp is kept in BUILD_DIR/lint.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import subprocess
import sys

from source_tree import files

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLANG_FORMAT, CLANG_TIDY = "clang-format-19", "clang-tidy-19"
SECONDS_PER_FILE_MAX = 300
# The commands are g++'s: clang takes them but for these.
EXTRA = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-error"]


def format_findings(sources):
    run = subprocess.run([CLANG_FORMAT, "--dry-run", "--Werror", *map(str, sources)], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.returncode == 0, run.stderr


def headers_digest():
    """One digest over all that can change a finding besides the file itself."""
    digest = hashlib.sha256()
    for path in [*files(ROOT, ".h", ".txt", ".cmake"), pathlib.PurePosixPath(".clang-tidy")]:
        if (ROOT / path).name not in ("CMakeLists.txt",):
            digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()


def tidy_one(build, source, headers):
    stamp = build / "lint" / (str(source).replace("/", "_") + ".ok")
    digest = hashlib.sha256((ROOT / source).read_bytes() + headers.encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return True, ""
    run = subprocess.run([CLANG_TIDY, "--quiet", "-p", str(build), *EXTRA, str(source)], cwd=ROOT, capture_output=True, text=True,
                         timeout=SECONDS_PER_FILE_MAX, check=False)
    if run.returncode == 0:
        stamp.write_text(digest)
    return run.returncode == 0, run.stdout


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=pathlib.Path, required=True)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("file", nargs="*", help="these alone (default: all)")
    given = options.parse_args()

    build = given.build.resolve()
    (build / "lint").mkdir(exist_ok=True)
    commands = json.loads((build / "compile_commands.json").read_text())
    compiled = {pathlib.Path(entry["file"]).resolve() for entry in commands}
    written = [path for path in files(ROOT, ".h", ".cc") if not given.file or str(path) in given.file]
    to_tidy = [path for path in written if (ROOT / path) in compiled and not path.name.endswith(("_test.cc", "_bench.cc")) and not path.name.startswith("test_")]
    if not to_tidy:
        print("clang-tidy: no source of the project is in compile_commands.json; build first")
        return 1

    well_formed, format_text = format_findings(written)
    print(format_text, end="")
    headers, bad = headers_digest(), 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for good, text in pool.map(lambda source: tidy_one(build, source, headers), to_tidy):
            print(text, end="")
            bad += not good
    print(f"clang-format: {len(written)} files, {'clean' if well_formed else 'run ./dev format'}; clang-tidy: {len(to_tidy)} files, {bad} with findings")
    return 0 if well_formed and bad == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
