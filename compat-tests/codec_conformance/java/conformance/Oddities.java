package conformance;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.NullableSchema;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Walks bytes that Kafka's classes accept, led by the schema, and names what in them no encoder writes though Kafka
 * reads it. Whoever refuses such bytes differs from Kafka for a reason that can be told; see expected_differences.py.
 */
final class Oddities {
  enum Kind {
    /** A null written with a negative length other than -1. */
    NULL_LENGTH,
    /** A nullable struct whose marker is neither the one for null nor the one for present. */
    STRUCT_MARKER,
    /** A known tagged field that is longer or shorter than the size before it says. */
    TAG_SIZE,
    /** The same tag twice, or a lower tag after a higher one. */
    TAG_ORDER,
    /** Bytes after the end of the message. */
    SURPLUS,
  }

  private final ByteBufferAccessor in;
  private final Set<Kind> found = EnumSet.noneOf(Kind.class);

  private Oddities(ByteBuffer bytes) {
    in = new ByteBufferAccessor(bytes);
  }

  /** The names of all that was found, comma-separated, empty for an ordinary message. */
  static String in(ByteBuffer bytes, Schema schema) {
    Oddities walk = new Oddities(bytes);
    walk.struct(schema);
    if (walk.in.remaining() > 0) {
      walk.found.add(Kind.SURPLUS);
    }
    return walk.found.stream().map(kind -> kind.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(","));
  }

  private void struct(Schema schema) {
    for (BoundField field : schema.fields()) {
      value(field.def.type);
    }
  }

  private void value(Type type) {
    if (type instanceof TaggedFields tagged) {
      tags(tagged);
    } else if (type instanceof NullableSchema nullable) {
      byte marker = in.readByte();
      note(Kind.STRUCT_MARKER, marker != -1 && marker != 1);
      if (marker >= 0) {
        struct(nullable);
      }
    } else if (type instanceof Schema schema) {
      struct(schema);
    } else if (type instanceof ArrayOf || type instanceof CompactArrayOf) {
      array(type);
    } else {
      skip(length(type));
    }
  }

  private void array(Type type) {
    int count = type instanceof CompactArrayOf ? in.readUnsignedVarint() - 1 : in.readInt();
    note(Kind.NULL_LENGTH, count < -1);
    Type element = type.arrayElementType().orElseThrow();
    for (int left = count; left > 0; left--) {
      value(element);
    }
  }

  private void tags(TaggedFields tagged) {
    int previous = -1;
    for (int left = in.readUnsignedVarint(); left > 0; left--) {
      int tag = in.readUnsignedVarint();
      int size = in.readUnsignedVarint();
      note(Kind.TAG_ORDER, Integer.compareUnsigned(tag, previous) <= 0 && previous != -1);
      previous = tag;
      Field known = tagged.fields().get(tag);
      if (known == null) {
        skip(size);
      } else {
        int before = in.remaining();
        tagged(known.type);
        note(Kind.TAG_SIZE, before - in.remaining() != size);
      }
    }
  }

  /** Outside tags a nullable struct has a byte before it, inside a tag an unsigned varint: 0 for null, 1 for present. */
  private void tagged(Type type) {
    if (!(type instanceof NullableSchema nullable)) {
      value(type);
      return;
    }
    int marker = in.readUnsignedVarint();
    note(Kind.STRUCT_MARKER, marker != 0 && marker != 1);
    if (marker > 0) {
      struct(nullable);
    }
  }

  /** The bytes of a leaf after its length, the length being read here. */
  private int length(Type type) {
    if (type == Type.BOOLEAN || type == Type.INT8) return 1;
    if (type == Type.INT16 || type == Type.UINT16) return 2;
    if (type == Type.INT32 || type == Type.UNSIGNED_INT32) return 4;
    if (type == Type.INT64 || type == Type.FLOAT64) return 8;
    if (type == Type.UUID) return 16;
    int length = lengthPrefix(type);
    note(Kind.NULL_LENGTH, length < -1);
    return Math.max(length, 0);
  }

  private int lengthPrefix(Type type) {
    if (type == Type.STRING || type == Type.NULLABLE_STRING) return in.readShort();
    if (type == Type.BYTES || type == Type.NULLABLE_BYTES || type == Type.RECORDS || type == Type.NULLABLE_RECORDS) return in.readInt();
    return in.readUnsignedVarint() - 1;
  }

  private void skip(int bytes) {
    in.readByteBuffer(bytes);
  }

  private void note(Kind kind, boolean present) {
    if (present) {
      found.add(kind);
    }
  }
}
