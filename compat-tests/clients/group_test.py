"""One real client in groups: members that share, leave, restart and commit, a broker that is killed, and what tools do with groups."""

import itertools
import os
import signal
import tempfile
import unittest

import raw
from braid_process import Broker, eventually
from client_program import ClientProgram, chosen, enter
from records import numbered

NAME = chosen()
PARTITIONS = 4
SETTINGS = {"group.initial.rebalance.delay.ms": "0"}


class WithClient(unittest.TestCase):
    """One broker and one client for all tests of a class; each test has a topic and a group of its own."""

    numbers = itertools.count()

    @classmethod
    def setUpClass(cls):
        cls.broker = enter(cls, Broker(SETTINGS))
        cls.client = enter(cls, ClientProgram(NAME, cls.broker.port))

    def setUp(self):
        number = next(self.numbers)
        self.topic, self.group = f"topic-{number}", f"group-{number}"
        raw.create_topic(self.broker.port, self.topic, PARTITIONS)
        self.present = []

    def tearDown(self):
        for member in self.present:
            self.client.leave(member)

    def need(self, feature):
        if not self.client.can(feature):
            self.skipTest(f"{NAME} can't: {feature}")

    def member(self, name, **how):
        self.client.subscribe(name, self.group, [self.topic], **how)
        self.present.append(name)

    def leave(self, name):
        self.present.remove(name)
        self.client.leave(name)

    def write(self, count, what):
        """So many records in each partition; their values."""
        values = []
        for partition in range(PARTITIONS):
            written = numbered(count, f"{what}-{partition}")
            self.client.produce(self.topic, written, partition)
            values += [record.value for record in written]
        return sorted(values)

    def shared(self, *counts):
        """Waits until the members, in their order, have so many partitions each, and all together."""
        def look():
            assigned = [self.client.assigned(member) for member in self.present]
            together = sorted(place for places in assigned for place in places)
            right = together == [[self.topic, partition] for partition in range(PARTITIONS)] and tuple(map(len, assigned)) == counts
            return assigned if right else None

        return eventually(look, f"partitions shared as {counts}")


class Sharing(WithClient):
    def test_two_members_share_and_one_takes_over_when_the_other_leaves(self):
        self.member("a")
        self.shared(4)
        self.member("b")
        self.shared(2, 2)
        written = self.write(5, "shared")
        read = [self.client.consume(member, 10) for member in ("a", "b")]
        self.assertEqual(sorted(value for records in read for *_, value in records), written)
        self.client.commit("a")
        self.client.commit("b")
        self.leave("b")
        self.shared(4)
        more = self.write(3, "more")
        self.assertEqual(sorted(value for *_, value in self.client.consume("a", 12)), more)

    def test_members_share_cooperatively(self):
        self.need("cooperative rebalances")
        self.member("a", cooperative=True)
        before, = self.shared(4)
        self.member("b", cooperative=True)
        kept, _ = self.shared(2, 2)
        self.assertTrue(all(place in before for place in kept))
        self.leave("a")
        self.shared(4)

    def test_a_static_member_that_restarts_gets_its_partitions_back(self):
        self.need("static members")
        self.member("a", instance="first")
        self.member("b", instance="second")
        before = self.shared(2, 2)
        self.leave("b")
        self.member("again", instance="second")
        self.assertEqual(self.shared(2, 2), before)


class Offsets(WithClient):
    def test_a_group_goes_on_where_it_has_committed(self):
        written = self.write(5, "first")
        self.member("a")
        self.assertEqual(sorted(value for *_, value in self.client.consume("a", 20)), written)
        self.client.commit("a")
        self.leave("a")
        more = self.write(2, "second")
        self.member("b")
        self.assertEqual(sorted(value for *_, value in self.client.consume("b", 8)), more)


class Killed(unittest.TestCase):
    def test_committed_offsets_and_members_outlive_a_kill_of_the_broker(self):
        with tempfile.TemporaryDirectory(prefix="braid-") as directory:
            settings = {**SETTINGS, "log.dirs": directory}
            with Broker(settings) as broker, ClientProgram(NAME, broker.port) as client:
                raw.create_topic(broker.port, "t", 1)
                client.produce("t", numbered(10, "before"))
                client.subscribe("a", "g", ["t"])
                self.assertEqual([offset for _, offset, _ in client.consume("a", 10)], list(range(10)))
                client.commit("a")
                os.kill(broker.process.pid, signal.SIGKILL)
                broker.wait()
                with Broker({**settings, "listeners": f"PLAINTEXT://127.0.0.1:{broker.port}"}):
                    client.produce("t", numbered(5, "after"))
                    if not client.can("waiting for a broker"):
                        client.leave("a")
                        client.subscribe("a", "g", ["t"])
                    self.assertEqual([offset for _, offset, _ in client.consume("a", 5)], list(range(10, 15)), "the member goes on")
                    client.commit("a")
                    client.leave("a")
                    client.produce("t", numbered(1, "last"))
                    client.subscribe("b", "g", ["t"])
                    self.assertEqual([offset for _, offset, _ in client.consume("b", 1)], [15])
                    client.leave("b")


class Administration(WithClient):
    def settled(self):
        """A group with a member, and offsets."""
        self.write(5, "settled")
        self.member("a")
        self.shared(4)
        self.client.consume("a", 20)
        self.client.commit("a")

    def test_groups_are_listed_and_described(self):
        self.need("listing of groups")
        self.settled()
        state = self.client.ask("groups")[self.group]
        self.assertIn(state, ("Stable", None))
        self.assertEqual(self.client.ask("describe_group", group=self.group), {"state": "Stable", "members": 1})
        self.leave("a")
        self.assertEqual(self.client.ask("describe_group", group=self.group), {"state": "Empty", "members": 0})

    def test_committed_offsets_are_told(self):
        self.need("committed offsets")
        self.settled()
        self.assertEqual(self.client.ask("committed", group=self.group), {f"{self.topic}-{partition}": 5 for partition in range(PARTITIONS)})

    def test_offsets_are_altered_and_a_member_begins_there(self):
        self.need("altering of offsets")
        self.settled()
        self.leave("a")
        self.client.ask("alter_committed", group=self.group, topic=self.topic, partition=2, offset=3)
        self.assertEqual(self.client.ask("committed", group=self.group)[f"{self.topic}-2"], 3)
        self.member("b")
        self.assertEqual([place[:2] for place in self.client.consume("b", 2)], [(2, 3), (2, 4)])

    def test_offsets_are_deleted(self):
        self.need("deletion of offsets")
        self.settled()
        self.leave("a")
        self.client.ask("delete_committed", group=self.group, topic=self.topic, partition=1)
        self.assertNotIn(f"{self.topic}-1", self.client.ask("committed", group=self.group))

    def test_an_empty_group_is_deleted_and_no_other(self):
        self.need("deletion of groups")
        self.settled()
        with self.assertRaises(AssertionError):
            self.client.ask("delete_group", group=self.group)
        self.leave("a")
        self.client.ask("delete_group", group=self.group)
        self.assertNotIn(self.group, self.client.ask("groups"))


if __name__ == "__main__":
    unittest.main()
