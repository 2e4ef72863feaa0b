"""Groups with confluent-kafka."""

import time

from confluent_kafka import Consumer, KafkaException, TopicPartition

from driver import GROUP_ADMIN, PATIENCE_SECONDS, POLL_SECONDS, SESSION_MS, to_hex


class Member:
    """A consumer, and what came while it looked for something else."""

    def __init__(self, settings, topics):
        self.consumer, self.inbox, self.consumed = Consumer(settings), [], {}
        self.consumer.subscribe(topics)

    def poll(self, seconds):
        message = self.consumer.poll(seconds)
        if message is None:
            return
        if message.error():
            raise KafkaException(message.error())
        self.inbox.append(message)


class Groups:
    @staticmethod
    def cannot_with_groups(old):
        return [one for one in GROUP_ADMIN if one not in ("listing of groups", "description of groups")] if old else ["deletion of offsets"]

    def subscribe(self, member, group, topics, instance, cooperative):
        settings = {**self.base, "group.id": group, "auto.offset.reset": "earliest", "enable.auto.commit": False, "fetch.wait.max.ms": 20,
                    "session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": 500, "topic.metadata.refresh.interval.ms": 1000,
                    "partition.assignment.strategy": "cooperative-sticky" if cooperative else "range"}
        if instance:
            settings["group.instance.id"] = instance
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
        for message in taken:
            one.consumed[message.topic(), message.partition()] = message.offset() + 1
        return [[message.partition(), message.offset(), to_hex(message.value())] for message in taken]

    def commit(self, member):
        one = self.members[member]
        one.consumer.commit(offsets=[TopicPartition(*place, offset) for place, offset in one.consumed.items()], asynchronous=False)

    def leave(self, member):
        self.members.pop(member).consumer.close()

    def groups(self):
        return {group.id: group.state for group in self.admin.list_groups(timeout=PATIENCE_SECONDS)}

    def describe_group(self, group):
        described, = self.admin.list_groups(group, PATIENCE_SECONDS)
        return {"state": described.state, "members": len(described.members)}

    def committed(self, group):
        from confluent_kafka import ConsumerGroupTopicPartitions
        told = self.admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(PATIENCE_SECONDS)
        return {f"{one.topic}-{one.partition}": one.offset for one in told.topic_partitions}

    def alter_committed(self, group, topic, partition, offset):
        from confluent_kafka import ConsumerGroupTopicPartitions
        wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, partition, offset)])
        for one in self.admin.alter_consumer_group_offsets([wanted])[group].result(PATIENCE_SECONDS).topic_partitions:
            if one.error:
                raise KafkaException(one.error)

    def delete_group(self, group):
        self.admin.delete_consumer_groups([group])[group].result(PATIENCE_SECONDS)
