import unittest

from versions import FOREVER, NONE, Versions, parse_versions


class VersionsTest(unittest.TestCase):
    def test_prints_as_it_was_written(self):
        for text in ("3", "0-7", "3+", "none"):
            self.assertEqual(str(parse_versions(text)), text)

    def test_refuses_what_states_no_range(self):
        for text in ("", "x", "-1", "3-", "7-3", "3++", "40000"):
            with self.assertRaises(ValueError, msg=text):
                parse_versions(text)

    def test_intersects(self):
        self.assertEqual(Versions(0, 5) & Versions(3, FOREVER), Versions(3, 5))
        self.assertEqual(Versions(0, 2) & Versions(3, 4), NONE)

    def test_covers(self):
        self.assertTrue(Versions(0, FOREVER).covers(Versions(3, 7)))
        self.assertTrue(Versions(3, 3).covers(NONE))
        self.assertFalse(Versions(3, 5).covers(Versions(2, 5)))


if __name__ == "__main__":
    unittest.main()
