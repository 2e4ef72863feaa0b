"""Idempotent producers of numbered values that write until they are told to stop.

usage: writers.py SERVERS TOPIC PARTITIONS PRODUCERS
Value n of producer p goes to partition n % PARTITIONS. Out come lines: `ack P N OFFSET`, `lost P N ERROR`, and to each line that comes in,
`written COUNT ...` of every producer. After `stop` it waits until everything is acknowledged or lost, says `written` once more, and ends.
"""

import sys
import threading

from confluent_kafka import Producer

from driver import PATIENCE_SECONDS

OUTSTANDING_MAX = 200  # of each producer: there is always something under way, and never much


class Writer:
    def __init__(self, number, servers, topic, partitions, say):
        self.number, self.topic, self.partitions, self.say = number, topic, partitions, say
        self.written = 0
        self.producer = Producer({"bootstrap.servers": servers, "broker.address.family": "v4", "enable.idempotence": True, "linger.ms": 1,
                                  "reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 50, "retry.backoff.ms": 10,
                                  "message.timeout.ms": PATIENCE_SECONDS * 1000, "batch.num.messages": 20})

    def step(self):
        while len(self.producer) < OUTSTANDING_MAX:
            self._write(self.written)
            self.written += 1
        self.producer.poll(0.01)

    def _write(self, number):
        def told(failure, message):
            self.say(f"lost {self.number} {number} {failure}" if failure else f"ack {self.number} {number} {message.offset()}")

        self.producer.produce(self.topic, f"{self.number} {number}".encode().ljust(100, b"."), partition=number % self.partitions, on_delivery=told)

    def run(self, stopped):
        while not stopped.is_set():
            self.step()
        self.producer.flush(PATIENCE_SECONDS)


def main(servers, topic, partitions, producers):
    lock = threading.Lock()

    def say(line):
        with lock:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    stopped = threading.Event()
    writers = [Writer(number, servers, topic, int(partitions), say) for number in range(int(producers))]
    threads = [threading.Thread(target=writer.run, args=(stopped,)) for writer in writers]
    for thread in threads:
        thread.start()
    for line in sys.stdin:
        if line.strip() == "stop":
            break
        say("written " + " ".join(str(writer.written) for writer in writers))
    stopped.set()
    for thread in threads:
        thread.join()
    say("written " + " ".join(str(writer.written) for writer in writers))


main(*sys.argv[1:])
