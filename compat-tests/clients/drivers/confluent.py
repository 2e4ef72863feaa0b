"""confluent-kafka, and with it librdkafka: Debian's old one and PyPI's new one."""

import sys

from confluent_kafka import (OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition, TIMESTAMP_NOT_AVAILABLE, libversion,
                             version)
from confluent_kafka import admin as admin_api
from confluent_kafka.admin import AdminClient, ConfigResource, NewTopic

from confluent_groups import Groups
from driver import PATIENCE_SECONDS, answer_record, headers_of, serve, to_bytes

OFFSET_TAIL_BASE = -2000  # librdkafka: so many before the end


def text(number):
    return number if isinstance(number, str) else number[0]


class Driver(Groups):
    def __init__(self, servers):
        self.base = {"bootstrap.servers": servers, "broker.address.family": "v4"}
        self.admin = AdminClient(self.base)
        self.producers, self.members = {}, {}

    def hello(self):
        old = not hasattr(AdminClient, "incremental_alter_configs")
        return {"version": f"{text(version())} with librdkafka {text(libversion())}", 
                "cannot": [*(["configs", "deletion of records"] if old else []), *self.cannot_with_groups(old)]}

    def create(self, topic, partitions):
        self.admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(PATIENCE_SECONDS)

    def delete(self, topic):
        """Without the producers that know it: they ask about their topics from time to time, which makes them again."""
        self.producers.clear()
        self.admin.delete_topics([topic], operation_timeout=PATIENCE_SECONDS)[topic].result(PATIENCE_SECONDS)

    def partitions_of(self, topic):
        return sorted(self.admin.list_topics(topic, PATIENCE_SECONDS).topics[topic].partitions)

    def configs(self, topic):
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
        return {name: entry.value for name, entry in self.admin.describe_configs([resource])[resource].result(PATIENCE_SECONDS).items()}

    def alter_configs(self, topic, changes):
        operation = admin_api.AlterConfigOpType
        entries = [admin_api.ConfigEntry(name, value, incremental_operation=operation.DELETE if value is None else operation.SET)
                   for name, value in changes.items()]
        resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
        self.admin.incremental_alter_configs([resource])[resource].result(PATIENCE_SECONDS)

    def delete_records(self, topic, partition, before):
        place = TopicPartition(topic, partition, before)
        return self.admin.delete_records([place])[place].result(PATIENCE_SECONDS).low_watermark

    def produce(self, topic, partition, records, acks, codec, idempotent):
        offsets, failures = [], []

        def delivered(failure, message):
            failures.append(failure) if failure else offsets.append(message.offset())

        producer = self._producer(acks, codec, idempotent)
        producer.list_topics(topic, PATIENCE_SECONDS)  # knowing the leader spares a second of waiting in the client
        for record in records:
            when = {} if record["timestamp"] is None else {"timestamp": record["timestamp"]}
            producer.produce(topic, to_bytes(record["value"]), to_bytes(record["key"]), partition, on_delivery=delivered,
                             headers=headers_of(record), **when)
        remaining = producer.flush(PATIENCE_SECONDS)
        if failures or remaining:
            raise KafkaException(failures[0] if failures else f"{remaining} records are not delivered")
        return {"offsets": None if acks == "0" else offsets}

    def _producer(self, acks, codec, idempotent):
        wanted = (acks, codec, idempotent)
        if wanted not in self.producers:
            self.producers[wanted] = Producer({**self.base, "acks": acks, "compression.type": codec, "enable.idempotence": idempotent,
                                               "linger.ms": 20})
        return self.producers[wanted]

    def read(self, topic, partition, count, start):
        consumer = Consumer({**self.base, "group.id": "unused", "enable.auto.commit": False, "auto.offset.reset": "error",
                             "check.crcs": True, "fetch.wait.max.ms": 20})
        try:
            consumer.list_topics(topic, PATIENCE_SECONDS)  # knowing the leader spares half a second as well
            consumer.assign([TopicPartition(topic, partition, self._offset(consumer, topic, partition, start))])
            records = []
            while len(records) < count:
                message = consumer.poll(PATIENCE_SECONDS)
                if message is None or message.error():
                    raise KafkaException(message.error() if message else f"only {len(records)} of {count} records came")
                kind, when = message.timestamp()
                records.append(answer_record(message.offset(), None if kind == TIMESTAMP_NOT_AVAILABLE else when, message.key(),
                                             message.value(), message.headers()))
            return {"records": records}
        finally:
            consumer.close()

    @staticmethod
    def _offset(consumer, topic, partition, start):
        if "timestamp" in start:
            found = consumer.offsets_for_times([TopicPartition(topic, partition, start["timestamp"])], PATIENCE_SECONDS)[0]
            if found.error:
                raise KafkaException(found.error)
            return found.offset
        if "tail" in start:
            return OFFSET_TAIL_BASE - start["tail"]
        return start.get("offset", OFFSET_BEGINNING)


serve(Driver(sys.argv[1]))
