"""aiokafka, on one event loop."""

import asyncio
import sys

import aiokafka
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from aiokafka_groups import Groups, in_time
from driver import ADMIN, PATIENCE_SECONDS, answer_record, headers_of, serve, to_bytes

PATIENCE_MS = PATIENCE_SECONDS * 1000


class Driver(Groups):
    def __init__(self, servers):
        self.base = {"bootstrap_servers": servers}
        self.loop = asyncio.new_event_loop()
        self.admin, self.producers, self.members = None, {}, {}

    def hello(self):
        return {"version": aiokafka.__version__, "cannot": ["null key with null value", *ADMIN, "cooperative rebalances", "altering of offsets",
                                                                                      "deletion of offsets", "deletion of groups"]}

    async def _admin(self):
        if self.admin is None:
            self.admin = AIOKafkaAdminClient(**self.base)
            await self.admin.start()
        return self.admin

    @in_time
    async def create(self, topic, partitions):
        admin = await self._admin()
        answer = await admin.create_topics([NewTopic(topic, partitions, 1)], timeout_ms=PATIENCE_MS)
        self._judge(answer.topic_errors)

    @in_time
    async def delete(self, topic):
        admin = await self._admin()
        answer = await admin.delete_topics([topic], timeout_ms=PATIENCE_MS)
        self._judge(answer.topic_error_codes)

    @staticmethod
    def _judge(outcomes):
        """This client leaves it to its caller to look whether it worked."""
        if any(error != 0 for _, error, *_ in outcomes):
            raise RuntimeError(str(outcomes))

    @in_time
    async def produce(self, topic, partition, records, acks, codec, idempotent):
        producer = await self._producer(acks, codec, idempotent)
        sent = [await producer.send(topic, value=to_bytes(record["value"]), key=to_bytes(record["key"]), partition=partition,
                                    timestamp_ms=record["timestamp"], headers=headers_of(record)) for record in records]
        stored = await asyncio.gather(*sent)
        return {"offsets": None if acks == "0" else [one.offset for one in stored]}

    async def _producer(self, acks, codec, idempotent):
        wanted = (acks, codec, idempotent)
        if wanted not in self.producers:
            producer = aiokafka.AIOKafkaProducer(**self.base, acks=acks if acks == "all" else int(acks), linger_ms=20,
                                                 compression_type=None if codec == "none" else codec, enable_idempotence=idempotent)
            await producer.start()
            self.producers[wanted] = producer
        return self.producers[wanted]

    @in_time
    async def read(self, topic, partition, count, start):
        consumer = aiokafka.AIOKafkaConsumer(**self.base, group_id=None, enable_auto_commit=False, auto_offset_reset="none", check_crcs=True,
                                             fetch_max_wait_ms=20)
        await consumer.start()
        try:
            place = aiokafka.TopicPartition(topic, partition)
            consumer.assign([place])
            await self._seek(consumer, place, start)
            got = [await consumer.getone() for _ in range(count)]
            return {"records": [answer_record(one.offset, one.timestamp, one.key, one.value, one.headers) for one in got]}
        finally:
            await consumer.stop()

    @staticmethod
    async def _seek(consumer, place, start):
        if "timestamp" in start:
            consumer.seek(place, (await consumer.offsets_for_times({place: start["timestamp"]}))[place].offset)
        elif "tail" in start:
            await consumer.seek_to_end(place)
            consumer.seek(place, await consumer.position(place) - start["tail"])
        elif "offset" in start:
            consumer.seek(place, start["offset"])
        else:
            await consumer.seek_to_beginning(place)


serve(Driver(sys.argv[1]))
