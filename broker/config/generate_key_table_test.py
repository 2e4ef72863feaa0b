"""The generator refuses inconsistent facts, and keeps the document's other text."""

import pathlib
import tempfile
import unittest

import generate_key_table as table

HEAD = "key\ttype\tdefault\tvalid_values\timportance\tsensitive\tinternal\tupdate_mode\tstatic_config\tother_names\n"


def row(key, default="1", rule="[1,...]"):
    return f"{key}\tINT\t{default}\t{rule}\tHIGH\tn\tn\tcluster-wide\ty\t-\n"


class Facts(unittest.TestCase):
    def read(self, kafka, own="", effects=""):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder)
            (room / "kafka_keys.tsv").write_text(HEAD + kafka)
            (room / "braid_keys.tsv").write_text(HEAD + own)
            (room / "effects.tsv").write_text("key\tdefault_here\teffect\n" + effects)
            return table.read_keys(room)

    def test_keys_are_sorted_and_know_their_effect(self):
        keys = self.read(row("b"), row("a"), "b\t-\tdoes something\n")
        self.assertEqual([(key["key"], key["own"], key["effect"]) for key in keys], [("a", True, ""), ("b", False, "does something")])

    def test_a_required_key_gets_a_default_here(self):
        self.assertEqual(self.read(row("a", "(required)"), effects="a\t7\tx\n")[0]["default"], "7")
        with self.assertRaises(table.Fault):
            self.read(row("a", "(required)"))

    def test_what_does_not_fit_is_refused(self):
        for kafka, own, effects in [(row("a"), row("a"), ""), (row("a"), "", "b\t-\tx\n"), ("a\tINT\n", "", "")]:
            with self.subTest(kafka=kafka, own=own, effects=effects), self.assertRaises(table.Fault):
                self.read(kafka, own, effects)

    def test_rows_become_c_plus_plus(self):
        source = table.cpp_source(self.read(row("a", "null", "-"), row("b", "(empty)"), "a\t-\trefused when set\n"))
        self.assertIn('{"a", ConfigType::kInt, std::nullopt, "", Importance::kHigh, UpdateMode::kClusterWide, Effect::kRefused, false, false, false,\n     "refused when set"}', source)
        self.assertIn('{"b", ConfigType::kInt, "", "[1,...]", Importance::kHigh, UpdateMode::kClusterWide, Effect::kNone, false, false, true,', source)

    def test_only_the_part_between_the_marks_changes(self):
        keys = self.read(row("a"), effects="a\t-\tdoes | this\n")
        text = f"before\n{table.BEGIN_MARK}\nold\n{table.END_MARK}\nafter\n"
        new = table.with_table(text, keys)
        self.assertTrue(new.startswith("before\n") and new.endswith("\nafter\n"))
        self.assertNotIn("old", new)
        self.assertIn("does \\| this", new)
        self.assertEqual(table.with_table(new, keys), new)
        with self.assertRaises(table.Fault):
            table.with_table("no marks", keys)

    def test_the_projects_own_facts_are_consistent(self):
        self.assertGreater(len(table.read_keys()), 380)


if __name__ == "__main__":
    unittest.main()
