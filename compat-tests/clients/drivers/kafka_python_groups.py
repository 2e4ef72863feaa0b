"""Groups with kafka-python."""

import time

import kafka
from kafka.structs import OffsetAndMetadata

from driver import PATIENCE_SECONDS, POLL_SECONDS, SESSION_MS, to_hex


class Member:
    """A consumer, and what came while it looked for something else."""

    def __init__(self, settings, topics):
        self.consumer, self.inbox, self.consumed = kafka.KafkaConsumer(*topics, **settings), [], {}

    def poll(self, seconds):
        for records in self.consumer.poll(timeout_ms=int(seconds * 1000)).values():
            self.inbox += records


def judge(outcomes):
    for outcome in outcomes:
        if outcome is not None and outcome.errno != 0:
            raise outcome()


class Groups:
    def subscribe(self, member, group, topics, instance, cooperative):
        assert not cooperative
        settings = {**self.base, "group_id": group, "group_instance_id": instance, "auto_offset_reset": "earliest", "enable_auto_commit": False, "fetch_max_wait_ms": 20,
                    "session_timeout_ms": SESSION_MS, "heartbeat_interval_ms": 500, "metadata_max_age_ms": 1000}
        self.members[member] = Member(settings, topics)

    def assigned(self, member):
        self.members[member].poll(POLL_SECONDS)
        return sorted([one.topic, one.partition] for one in self.members[member].consumer.assignment())

    def consume(self, member, count):
        one, end = self.members[member], time.monotonic() + PATIENCE_SECONDS
        while len(one.inbox) < count:
            if time.monotonic() > end:
                raise TimeoutError(f"only {len(one.inbox)} of {count} records came")
            one.poll(POLL_SECONDS)
        taken, one.inbox = one.inbox[:count], one.inbox[count:]
        for record in taken:
            one.consumed[kafka.TopicPartition(record.topic, record.partition)] = OffsetAndMetadata(record.offset + 1, "", -1)
        return [[record.partition, record.offset, to_hex(record.value)] for record in taken]

    def commit(self, member):
        self.members[member].consumer.commit(self.members[member].consumed)

    def leave(self, member):
        self.members.pop(member).consumer.close()

    def groups(self):
        return {group["group_id"]: group["group_state"] for group in self.admin.list_groups()}

    def describe_group(self, group):
        described = self.admin.describe_groups([group])[group]
        return {"state": described["group_state"], "members": len(described["members"])}

    def committed(self, group):
        told = self.admin.list_group_offsets(group)[group]
        return {f"{place.topic}-{place.partition}": told[place].offset for place in told}

    def alter_committed(self, group, topic, partition, offset):
        judge(self.admin.alter_group_offsets(group, {kafka.TopicPartition(topic, partition): OffsetAndMetadata(offset, "", -1)}).values())

    def delete_committed(self, group, topic, partition):
        judge(self.admin.delete_group_offsets(group, [kafka.TopicPartition(topic, partition)]).values())

    def delete_group(self, group):
        outcome = self.admin.delete_groups([group])
        if "NoError" not in str(outcome) and "OK" not in str(outcome):
            raise RuntimeError(str(outcome))
