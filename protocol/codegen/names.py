"""Conversions between the spellings of names: Kafka's definitions, schema text, C++."""

# C++ keywords and alternative tokens that are plausible field names.
_RESERVED = frozenset(
    "and auto bool break case catch char class const continue default delete do double else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new not operator or private protected "
    "public register return short signed sizeof static struct switch template this throw true try typedef typename "
    "union unsigned using virtual void volatile while xor".split()
)


def snake_case(camel):
    """`TopicId` -> `topic_id`. A run of capitals is one word: `KRaftVersion` -> `kraft_version`."""
    out = []
    previous_was_capital = True
    for letter in camel:
        if letter.isupper():
            if not previous_was_capital:
                out.append("_")
            out.append(letter.lower())
            previous_was_capital = True
        else:
            out.append(letter)
            previous_was_capital = False
    return "".join(out)


def pascal_case(snake):
    """`topic_id` -> `TopicId`."""
    return "".join(word[:1].upper() + word[1:] for word in snake.split("_"))


def member_name(snake):
    """The C++ member for a field: the same name unless C++ reserves it."""
    return snake + "_" if snake in _RESERVED else snake
