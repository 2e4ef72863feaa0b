"""Record batches both ways: what Kafka's builder makes is read by both, and so is what Braid's builder makes."""

import json
import os
import random

import messages

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SETS_PER_LEVEL = 16
BUILT_PER_CODEC = 40
BUILT_COUNTS = (1, 2, 3, 10, 100, 0, 500, 7)
COVERED_BY_CRC_FROM = 21  # the first byte of a batch that its checksum covers
FLIPPED_BYTES_MAX = 20_000
END_OF_SET = "end"  # no command of protocol_recode: its one line of error tells where the answer before it ends


def compare_theirs(kafka, recode, seed, report):
    """Kafka's batches: Braid sees in them what Kafka sees."""
    made = kafka.main("batches", os.devnull, "make-batches", seed, SETS_PER_LEVEL)
    sets = made.read_text().split()
    viewed = kafka.main("batches-viewed", made, "view-batches").read_text().splitlines()
    compare_views(sets, viewed, views(recode, "records", sets), "of Kafka", report)


def compare_ours(kafka, recode, seed, report):
    """Braid's batches: Kafka accepts them and sees in them what Braid wrote, and what Braid reads back."""
    asked = [f"build-records {codec} {seed + i} {BUILT_COUNTS[i % len(BUILT_COUNTS)]}" for codec in CODECS for i in range(BUILT_PER_CODEC)]
    built = [line.split("\t") for line in recode.answers("built", asked)]
    refused = [line[0] for line in built if len(line) != 2]
    if refused:
        report.differs("batches of-Braid 2", "not built", got=refused[0])
        return
    sets = [given for _, given in built]
    viewed = kafka_views(kafka, recode, "built-viewed", sets)
    compare_views(sets, viewed, [json.loads(described) for described, _ in built], "as described by Braid", report)
    compare_views(sets, viewed, views(recode, "built-records", sets), "of Braid", report)


def compare_flipped(kafka, recode, seed, report):
    """A flipped bit that the checksum covers: both notice. The sets are those of compare_theirs."""
    chance = random.Random(seed)
    sets = [one for one in (recode.work / "batches.out").read_text().split() if len(one) <= 2 * FLIPPED_BYTES_MAX]
    flipped = [flip(one, chance) for one in sets]
    theirs = kafka_views(kafka, recode, "flipped-viewed", flipped)
    ours = answers_by_set(recode, "flipped-records", flipped)
    for given, their_view, our_lines in zip(flipped, theirs, ours, strict=True):
        noticed = '"crc_ok":false' in our_lines[0]
        if their_view.startswith("error CorruptRecord") and noticed:
            report.equal("batches with-a-flipped-bit 2")
        else:
            report.differs("batches with-a-flipped-bit 2", "not noticed", given=given, kafka=their_view, braid=our_lines[0])


def flip(hex_digits, chance):
    """One bit of the first batch, behind its checksum."""
    data = bytearray.fromhex(hex_digits)
    end = 12 + int.from_bytes(data[8:12], "big")
    data[chance.randrange(COVERED_BY_CRC_FROM, end)] ^= 1 << chance.randrange(8)
    return data.hex()


def kafka_views(kafka, recode, name, sets):
    """Kafka's answers to `sets`, a line each."""
    asked = recode.work / f"{name}.in"
    asked.write_text("".join(f"{one}\n" for one in sets))
    return kafka.main(name, asked, "view-batches").read_text().splitlines()


def compare_views(sets, theirs, ours, title, report):
    """`theirs` are lines of Kafka, `ours` the same as values: arrays of batches with their records."""
    for given, their_line, our_view in zip(sets, theirs, ours, strict=True):
        words = f"batches {our_view[0]['codec'] if our_view else 'unreadable'}-{title.replace(' ', '-')} 2"
        if their_line.startswith("error"):
            report.differs(words, "Kafka refuses it", given=given, kafka=their_line)
            continue
        difference = messages.json_difference(their_line, json.dumps(our_view))
        if difference is None:
            report.equal(words)
        else:
            report.differs(words, f"records differ: {difference}", given=given, kafka=their_line, braid=json.dumps(our_view))


def views(recode, name, sets):
    """Braid's view of each set of batches, in the form of Kafka's: an array of batches, each with its records."""
    return [view(lines) for lines in answers_by_set(recode, name, sets)]


def view(lines):
    """A line of a batch begins the batch, a line of a record belongs to the batch before it. An error is kept as it is."""
    out = []
    for line in lines:
        if line.startswith("error"):
            out.append({"codec": "unreadable", "error": line})
            continue
        one = json.loads(line)
        if "base_offset" in one:
            out.append(one | {"records": []})
        else:
            out[-1]["records"].append(one)
    return out


def answers_by_set(recode, name, sets):
    """The lines that protocol_recode answers to each set."""
    out = [[]]
    for line in recode.lines(name, [line for one in sets for line in (f"records {one}", END_OF_SET)]):
        if line.startswith("error unknown command"):
            out.append([])
        else:
            out[-1].append(line)
    return out[:-1]
