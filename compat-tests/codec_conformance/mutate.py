"""Damages messages: what a codec must survive, and must take or refuse as Kafka does. Pure functions of a random source."""

INTERESTING = (0x00, 0x01, 0x02, 0x7F, 0x80, 0xFE, 0xFF)
LONGEST_TEXT = 32767


def flip_bits(data, random):
    for _ in range(random.randint(1, 3)):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def truncate(data, random):
    del data[random.randrange(len(data)) :]


def interesting_byte(data, random):
    data[random.randrange(len(data))] = random.choice(INTERESTING)


def grow_a_number(data, random):
    """Often a length or a count: a little more than there is."""
    at = random.randrange(len(data))
    data[at] = (data[at] + random.randint(1, 8)) & 0xFF


def negative_number(data, random):
    """-1 or -2 in two or four bytes: null, and a length that no encoder writes."""
    width = random.choice((2, 4))
    at = random.randrange(len(data))
    data[at : at + width] = b"\xff" * (width - 1) + random.choice((b"\xff", b"\xfe"))


def huge_varint(data, random):
    at = random.randrange(len(data))
    data[at : at + 1] = random.choice((b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x80\x80\x80\x80\x08", b"\x80\x80\x01", b"\xff\xff\xff\xff\xff\x01"))


def insert(data, random):
    at = random.randint(0, len(data))
    data[at:at] = random.randbytes(random.randint(1, 4))


def delete(data, random):
    at = random.randrange(len(data))
    del data[at : at + random.randint(1, 4)]


def repeat(data, random):
    at = random.randrange(len(data))
    piece = data[at : at + random.randint(1, 12)]
    data[at:at] = piece


def append(data, random):
    data += random.randbytes(random.randint(1, 5))


KINDS = (flip_bits, truncate, interesting_byte, grow_a_number, negative_number, huge_varint, insert, delete, repeat, append)


def mutant(message, random):
    """A damaged copy of `message` (bytes), by one kind of damage, now and then by two."""
    data = bytearray(message)
    for _ in range(1 if random.random() < 0.8 else 2):
        if data:
            random.choice(KINDS)(data, random)
    return bytes(data)


def too_long_text(message):
    """`message` with its text of 32,767 bytes (in compact form) made one byte longer, or None if it has none."""
    prefix = varint(LONGEST_TEXT + 1)
    at = message.find(prefix + b"a" * 100)
    if at < 0:
        return None
    return message[:at] + varint(LONGEST_TEXT + 2) + b"a" + message[at + len(prefix) :]


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
