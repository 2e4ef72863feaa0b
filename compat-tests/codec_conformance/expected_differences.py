"""Where Braid takes or refuses damaged bytes otherwise than Kafka's classes, and why. Anything that is not listed is a failure."""

# Kafka accepts, Braid refuses: by what conformance/Oddities.java finds in the bytes.
REFUSED_BY_US = {
    "null_length": "a negative length other than -1 is malformed; Kafka takes each as null and no encoder writes it",
    "tag_size": "a tagged field has the size that is written before it; Kafka does not compare them",
}

# Kafka refuses, Braid accepts, by a part of Kafka's reason: nothing.
ACCEPTED_BY_US = {}
