package conformance;

import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Fills a message of Kafka with random contents, led by the schema of one version: only fields that the version has,
 * null only where it allows null. Unknown tags come from a generator of their own: the same seed with and without them
 * gives messages that differ in nothing else.
 */
final class Filler {
  private static final int MAX_ELEMENTS = 300;
  private static final int LONG_ARRAY_ELEMENTS = 128;

  private final Style style;
  private final Values values;
  private final Random unknownTags;
  private int elements;
  private boolean longArrayUsed;

  /** @param unknownTags where unknown tags come from; null for none */
  Filler(Style style, Random random, Random unknownTags) {
    this.style = style;
    this.values = new Values(random, style);
    this.unknownTags = unknownTags;
  }

  void fill(Message message, Schema schema) throws ReflectiveOperationException {
    for (BoundField bound : schema.fields()) {
      if (bound.def.type instanceof TaggedFields tagged) {
        fillTagged(message, tagged);
      } else if (style != Style.DEFAULTS) {
        set(message, bound.def.name, bound.def.type);
      }
    }
  }

  private void fillTagged(Message message, TaggedFields tagged) throws ReflectiveOperationException {
    Map<Integer, org.apache.kafka.common.protocol.types.Field> known = new TreeMap<>(tagged.fields());
    for (var field : known.values()) {
      boolean set = switch (style) {
        case DEFAULTS, EMPTY -> false;
        case SMALLEST, GREATEST -> true;
        default -> values.chance(60);
      };
      if (set) {
        set(message, field.name, field.type);
      }
    }
    addUnknownTags(message);
  }

  private void addUnknownTags(Message message) {
    if (unknownTags == null || unknownTags.nextInt(4) == 0) {
      return;
    }
    int tag = 100 + unknownTags.nextInt(50);
    for (int left = 1 + unknownTags.nextInt(3); left > 0; left--) {
      byte[] data = new byte[unknownTags.nextInt(8) == 0 ? 130 : unknownTags.nextInt(6)];
      unknownTags.nextBytes(data);
      message.unknownTaggedFields().add(new RawTaggedField(tag, data));
      tag = left == 2 ? Integer.MAX_VALUE - 1 : tag + 1 + unknownTags.nextInt(20_000);
    }
  }

  private void set(Message message, String name, Type type) throws ReflectiveOperationException {
    Field field = MessageFields.of(message.getClass()).get(name);
    if (field == null) {
      throw new NoSuchFieldException(message.getClass().getName() + " has nothing for schema field " + name);
    }
    if (style != Style.DEFAULTS && type.isNullable() && (style == Style.EMPTY || randomNull())) {
      field.set(message, null);
    } else {
      field.set(message, value(field, type));
    }
  }

  private boolean randomNull() {
    return style != Style.SMALLEST && style != Style.GREATEST && values.chance(20);
  }

  private Object value(Field field, Type type) throws ReflectiveOperationException {
    Class<?> java = field.getType();
    if (type.isArray()) {
      return array(field, type.arrayElementType().orElseThrow());
    }
    if (type instanceof Schema schema) {
      return struct(java, schema);
    }
    return leaf(java, type);
  }

  private Object leaf(Class<?> java, Type type) {
    if (java == boolean.class || java == Boolean.class) return values.bool();
    if (java == byte.class || java == Byte.class) return (byte) values.integer(8, true);
    if (java == short.class || java == Short.class) return (short) values.integer(16, true);
    if (java == int.class || java == Integer.class) return type == Type.UINT16 ? (int) values.integer(16, false) : (int) values.integer(32, true);
    if (java == long.class || java == Long.class) return type == Type.UNSIGNED_INT32 ? values.integer(32, false) : values.integer(64, true);
    if (java == double.class) return values.float64();
    if (java == String.class) return values.text();
    if (java == Uuid.class) return values.uuid();
    if (java == byte[].class) return values.bytes();
    if (java == ByteBuffer.class) return ByteBuffer.wrap(values.bytes());
    if (BaseRecords.class.isAssignableFrom(java)) return MemoryRecords.readableRecords(ByteBuffer.wrap(values.bytes()));
    throw new IllegalStateException("no random value for " + java.getName());
  }

  private Message struct(Class<?> java, Schema schema) throws ReflectiveOperationException {
    Message out = (Message) java.getDeclaredConstructor().newInstance();
    fill(out, schema);
    return out;
  }

  private Object array(Field field, Type elementType) throws ReflectiveOperationException {
    Class<?> element = elementClass(field);
    Collection<Object> out = newCollection(field.getType());
    for (int left = arrayLength(elementType); left > 0; left--) {
      out.add(elementType instanceof Schema schema ? struct(element, schema) : leaf(element, elementType));
    }
    return out;
  }

  private int arrayLength(Type elementType) {
    int wanted = switch (style) {
      case DEFAULTS, EMPTY -> 0;
      case SMALLEST -> 1;
      case GREATEST -> 2;
      default -> values.chance(15) ? 0 : 1 + values.below(3);
    };
    if (style == Style.LONG_ARRAY && !longArrayUsed && !hasArrays(elementType)) {
      longArrayUsed = true;
      return LONG_ARRAY_ELEMENTS - 2 + values.below(5);
    }
    wanted = Math.min(wanted, MAX_ELEMENTS - elements);
    elements += wanted;
    return wanted;
  }

  private static boolean hasArrays(Type type) {
    if (!(type instanceof Schema schema)) {
      return type.isArray();
    }
    for (BoundField bound : schema.fields()) {
      if (bound.def.type.isArray()) {
        return true;
      }
    }
    return false;
  }

  @SuppressWarnings("unchecked")
  private static Collection<Object> newCollection(Class<?> java) throws ReflectiveOperationException {
    return java == List.class ? new ArrayList<>() : (Collection<Object>) java.getDeclaredConstructor().newInstance();
  }

  /** {@code List<X>} and {@code XCollection extends ImplicitLinkedHashMultiCollection<X>} both hold X. */
  private static Class<?> elementClass(Field field) {
    ParameterizedType holder = (ParameterizedType)
        (field.getType() == List.class ? field.getGenericType() : field.getType().getGenericSuperclass());
    return (Class<?>) holder.getActualTypeArguments()[0];
  }
}
