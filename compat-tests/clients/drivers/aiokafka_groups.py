"""Groups with aiokafka."""

import asyncio

import aiokafka

from driver import PATIENCE_SECONDS, POLL_SECONDS, SESSION_MS, to_hex


def in_time(method):
    """Commands come one after another, from outside of the event loop."""
    return lambda self, **words: self.loop.run_until_complete(asyncio.wait_for(method(self, **words), PATIENCE_SECONDS))


class Member:
    """A consumer, and what came while it looked for something else."""

    def __init__(self, consumer):
        self.consumer, self.inbox, self.consumed = consumer, [], {}

    async def poll(self, seconds):
        for records in (await self.consumer.getmany(timeout_ms=int(seconds * 1000))).values():
            self.inbox += records


class Groups:
    @in_time
    async def subscribe(self, member, group, topics, instance, cooperative):
        assert not cooperative
        consumer = aiokafka.AIOKafkaConsumer(*topics, **self.base, group_id=group, group_instance_id=instance, auto_offset_reset="earliest",
                                             enable_auto_commit=False, fetch_max_wait_ms=20, session_timeout_ms=SESSION_MS,
                                             heartbeat_interval_ms=500, metadata_max_age_ms=1000, rebalance_timeout_ms=SESSION_MS)
        self.members[member] = Member(consumer)
        await consumer.start()

    @in_time
    async def assigned(self, member):
        await self.members[member].poll(POLL_SECONDS)
        return sorted([one.topic, one.partition] for one in self.members[member].consumer.assignment())

    @in_time
    async def consume(self, member, count):
        one = self.members[member]
        while len(one.inbox) < count:
            await one.poll(POLL_SECONDS)
        taken, one.inbox = one.inbox[:count], one.inbox[count:]
        for record in taken:
            one.consumed[aiokafka.TopicPartition(record.topic, record.partition)] = record.offset + 1
        return [[record.partition, record.offset, to_hex(record.value)] for record in taken]

    @in_time
    async def commit(self, member):
        await self.members[member].consumer.commit(self.members[member].consumed)

    @in_time
    async def leave(self, member):
        await self.members.pop(member).consumer.stop()

    @in_time
    async def groups(self):
        admin = await self._admin()
        return {name: None for name, *_ in await admin.list_consumer_groups()}

    @in_time
    async def describe_group(self, group):
        admin = await self._admin()
        response, = await admin.describe_consumer_groups([group])
        (_, _, state, _, _, members, *_), = response.groups
        return {"state": state, "members": len(members)}

    @in_time
    async def committed(self, group):
        admin = await self._admin()
        told = await admin.list_consumer_group_offsets(group)
        return {f"{place.topic}-{place.partition}": told[place].offset for place in told}
