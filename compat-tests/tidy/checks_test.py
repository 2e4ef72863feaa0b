"""Each check finds what is planted, and nothing in a clean tree."""

import pathlib
import tempfile
import unittest

import layers
import links
import style
import tally
import test_names


class PlantedTree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def rules(self, check, path, text):
        """The rules that `check` finds broken in a tree of this one file."""
        full = pathlib.Path(self.folder.name) / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
        findings, read_count = check(self.folder.name)
        self.assertGreater(read_count, 0)
        full.unlink()
        return [finding.rule for finding in findings]


class Layers(PlantedTree):
    def test_downward_includes_pass(self):
        self.assertEqual(self.rules(layers.check, "broker/net/a.cc", '#include "protocol/wire/frame.h"\n#include "broker/net/a.h"\n'), [])

    def test_each_upward_or_sideways_include_is_found(self):
        for path, target in [("protocol/base/a.h", "protocol/wire/reader.h"), ("protocol/wire/a.h", "protocol/records/record_batch.h"),
                             ("protocol/records/a.cc", "protocol/messages/api.h"), ("protocol/messages/a.cc", "storage/types.h"),
                             ("storage/a.cc", "protocol/messages/api.h"), ("storage/a.cc", "broker/broker.h")]:
            with self.subTest(path=path, target=target):
                self.assertEqual(len(self.rules(layers.check, path, f'#include "{target}"\n')), 1)

    def test_the_outside_world_is_out_of_reach(self):
        for path, header in [("protocol/wire/a.cc", "<fstream>"), ("protocol/messages/a.h", "<spdlog/spdlog.h>"), ("storage/commitlog/a.cc", "<boost/asio.hpp>")]:
            with self.subTest(path=path):
                self.assertEqual(len(self.rules(layers.check, path, f"#include {header}\n")), 1)

    def test_a_folder_without_a_place_is_found(self):
        self.assertEqual(len(self.rules(layers.check, "extras/a.cc", "#include <vector>\n")), 1)

    def test_an_include_without_its_path_is_found(self):
        self.assertEqual(len(self.rules(layers.check, "storage/a.cc", '#include "types.h"\n')), 1)


class Style(PlantedTree):
    def test_clean_code_passes(self):
        self.assertEqual(self.rules(style.check, "protocol/base/a.h", "#pragma once\nnamespace braid::protocol {\n}\n"), [])
        self.assertEqual(self.rules(style.check, "protocol/base/a_test.cc", "TEST(A, Holds) {\n  EXPECT_EQ(1, one());\n}\n"), [])

    def test_each_planted_fault_is_found(self):
        for path, text in [
            ("protocol/base/long.cc", "\n" * 501),
            ("broker/net/connection_manager.cc", "\n"),
            ("storage/util/a.cc", "\n"),
            ("protocol/base/a.h", "namespace braid::protocol {\n}\n"),
            ("storage/a.cc", "namespace braid::broker {\n}\n"),
            ("storage/a.cc", "class LogManager {\n};\n"),
            ("storage/a.cc", "// " + "TO" + "DO: later\n"),
            ("broker/a.cc", "  std::this_thread::sleep_for(1s);\n"),
            ("broker/a.cc", "  throw std::runtime_error(\"x\");\n"),
            ("broker/a.cc", "  if (bad) throw 1;\n"),
            ("broker/a.cc", "} catch (...) {\n"),
            ("broker/a.cc", "auto t = std::chrono::system_clock::now();\n"),
            ("broker/a.cc", "int fd = ::open(path, 0);\n"),
            ("broker/a.cc", "std::ifstream in(path);\n"),
            ("storage/a.cc", "auto s = std::random_device()();\n"),
            ("storage/a.cc", "std::random_device entropy;\n"),
            ("protocol/base/a_test.cc", "TEST(A, Nothing) {\n  run();\n}\n"),
            ("protocol/base/a_test.cc", "TEST(A, Nothing) {\n  EXPECT_TRUE(true);\n}\n"),
            ("docs/a.md", "see " + "/ho" + "me/me/notes\n"),
        ]:
            with self.subTest(path=path, text=text[:40]):
                self.assertEqual(len(self.rules(style.check, path, text)), 1)


class Links(PlantedTree):
    def test_a_dead_link_is_found_and_a_live_one_is_not(self):
        self.assertEqual(len(self.rules(links.check, "docs/a.md", "[b](b.md) [a](a.md) [web](https://kafka.apache.org)\n")), 1)


class TestNames(unittest.TestCase):
    def test_a_printed_value_is_found_and_a_name_is_not(self):
        listing = ("add_test([=[a.b_c/D.e/0-1]=]  /x/a [==[--gtest_filter=b_c/D.e]==])\nset_tests_properties([=[a.b_c/D.e/0-1]=] X)\n"
                   "add_test([==[a.B/0  # GetParam() = 64-byte object <99-E5>]==]  /x/a [==[--gtest_filter=B/0]==])\n")
        self.assertEqual(test_names.names(listing), ["a.b_c/D.e/0-1", "a.B/0  # GetParam() = 64-byte object <99-E5>"])
        self.assertEqual(test_names.unclean(test_names.names(listing)), ["a.B/0  # GetParam() = 64-byte object <99-E5>"])


class Tally(unittest.TestCase):
    def test_counts_each_kind_and_names_the_failed(self):
        text = """<testsuite><testcase name="a" status="run"/><testcase name="b" status="fail"><failure/></testcase>
                  <testcase name="c" status="notrun"><skipped/></testcase><testcase name="d" status="odd"/></testsuite>"""
        self.assertEqual(tally.tally(text), (1, 2, 1, ["b", "d"]))

    def test_repeats_the_last_lines_of_what_failed_and_of_nothing_else(self):
        said = "\n".join(f"line {number}" for number in range(100)) + "\n" + "x" * 1000 + "\nseed 7"
        text = (f'<testsuite><testcase name="good" status="run"><system-out>fine</system-out></testcase>'
                f'<testcase name="bad" status="fail"><failure/><system-out>{said}\n\n</system-out></testcase>'
                f'<testcase name="mute" status="fail"><failure/></testcase></testsuite>')
        told = tally.tails(text)
        self.assertEqual(told[:2] + told[-3:], ["--- bad", "line 62", "x" * 300 + "…", "seed 7", "--- mute"])
        self.assertEqual(len(told), 2 + tally.TAIL_LINES_MAX)

    def test_repeats_the_first_of_many_failures_and_counts_the_others(self):
        text = "<testsuite>" + '<testcase name="bad" status="fail"><failure/></testcase>' * 25 + "</testsuite>"
        self.assertEqual(tally.tails(text)[-2:], ["--- bad", "--- and 15 more"])


if __name__ == "__main__":
    unittest.main()
