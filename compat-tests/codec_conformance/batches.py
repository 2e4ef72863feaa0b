"""Record batches both ways: what Kafka's builder makes is read by both, and so is what Braid's builder makes."""

import json
import os

import messages

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
SETS_PER_LEVEL = 16
BUILT_PER_CODEC = 40
END_OF_SET = "end"  # no command of protocol_recode: its one line of error tells where the answer before it ends


def compare_theirs(kafka, recode, seed, report):
    made = kafka.main("batches", os.devnull, "make-batches", seed, SETS_PER_LEVEL)
    compare_views(made.read_text().split(), kafka.main("batches-viewed", made, "view-batches"), recode, "kafka", report)


def compare_ours(kafka, recode, seed, report):
    built = [line for codec in CODECS for line in recode.answers(f"build-{codec}", [f"build-records {codec} {seed + i} {1 + i % 7}" for i in range(BUILT_PER_CODEC)])]
    for line in built:
        if line.startswith("error"):
            report.differs("batches build-records", "refused", got=line)
            return
    asked = recode.work / "built.in"
    sets = [line.split("\t")[1] for line in built]
    asked.write_text("".join(f"{one}\n" for one in sets))
    compare_views(sets, kafka.main("built-viewed", asked, "view-batches"), recode, "braid", report)


def compare_views(sets, viewed, recode, builder, report):
    """`sets` is hex of record sets, `viewed` a file with Kafka's view of each; Braid's view has to be the same."""
    ours = views(recode, f"records-{builder}", sets)
    for given, theirs, our_view in zip(sets, viewed.read_text().split("\n")[:-1], ours, strict=True):
        if theirs.startswith("error"):
            report.differs(f"data batches-of-{builder} 2", "Kafka refuses it", given=given, kafka=theirs)
            continue
        kafka_view = json.loads(theirs)
        words = f"data {kafka_view[0]['codec']}-batches-of-{builder} 2"
        difference = messages.json_difference(theirs, json.dumps(our_view))
        if difference is None:
            report.equal(words)
        else:
            report.differs(words, f"records differ: {difference}", given=given, kafka=theirs, braid=json.dumps(our_view))


def views(recode, name, sets):
    """Braid's view of each set of batches, in the form of Kafka's."""
    answers = iter(recode.lines(name, [line for one in sets for line in (f"records {one}", END_OF_SET)]))
    return [view(_until_end(answers)) for _ in sets]
