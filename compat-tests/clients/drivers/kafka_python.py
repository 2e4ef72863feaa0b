"""kafka-python: all of it in Python."""

import sys

import kafka
from kafka.admin import KafkaAdminClient, NewTopic

from driver import ADMIN, PATIENCE_SECONDS, answer_record, headers_of, serve, to_bytes
from kafka_python_groups import Groups

PATIENCE_MS = PATIENCE_SECONDS * 1000


class Driver(Groups):
    def __init__(self, servers):
        self.base = {"bootstrap_servers": servers}
        self.admin = KafkaAdminClient(**self.base)
        self.producers, self.members = {}, {}

    def hello(self):
        return {"version": kafka.__version__, "cannot": ["null key with null value", "null header values", *ADMIN, "cooperative rebalances"]}

    def create(self, topic, partitions):
        self.admin.create_topics([NewTopic(topic, partitions, 1)], timeout_ms=PATIENCE_MS)

    def delete(self, topic):
        self.admin.delete_topics([topic], timeout_ms=PATIENCE_MS)

    def produce(self, topic, partition, records, acks, codec, idempotent):
        producer = self._producer(acks, codec, idempotent)
        sent = [producer.send(topic, value=to_bytes(record["value"]), key=to_bytes(record["key"]), partition=partition,
                              timestamp_ms=record["timestamp"], headers=headers_of(record)) for record in records]
        producer.flush(PATIENCE_SECONDS)
        stored = [future.get(PATIENCE_SECONDS) for future in sent]
        return {"offsets": None if acks == "0" else [one.offset for one in stored]}

    def _producer(self, acks, codec, idempotent):
        wanted = (acks, codec, idempotent)
        if wanted not in self.producers:
            self.producers[wanted] = kafka.KafkaProducer(**self.base, acks=acks if acks == "all" else int(acks), linger_ms=20,
                                                         compression_type=None if codec == "none" else codec, enable_idempotence=idempotent)
        return self.producers[wanted]

    def read(self, topic, partition, count, start):
        consumer = kafka.KafkaConsumer(**self.base, group_id=None, enable_auto_commit=False, auto_offset_reset="none", check_crcs=True,
                                       fetch_max_wait_ms=20, consumer_timeout_ms=PATIENCE_MS)
        try:
            place = kafka.TopicPartition(topic, partition)
            consumer.assign([place])
            self._seek(consumer, place, start)
            records = []
            for message in consumer:
                records.append(answer_record(message.offset, message.timestamp, message.key, message.value, message.headers))
                if len(records) == count:
                    return {"records": records}
            raise TimeoutError(f"only {len(records)} of {count} records came")
        finally:
            consumer.close()

    @staticmethod
    def _seek(consumer, place, start):
        if "timestamp" in start:
            consumer.seek(place, consumer.offsets_for_times({place: start["timestamp"]})[place].offset)
        elif "tail" in start:
            consumer.seek_to_end(place)
            consumer.seek(place, consumer.position(place) - start["tail"])
        elif "offset" in start:
            consumer.seek(place, start["offset"])
        else:
            consumer.seek_to_beginning(place)


serve(Driver(sys.argv[1]))
