package conformance;

import java.lang.reflect.Field;
import java.util.Collection;
import org.apache.kafka.common.protocol.Message;

/** Forgets the unknown tags of a message and of everything in it, as a broker does that never sends them on. */
final class UnknownTags {
  private UnknownTags() {}

  static void clear(Message message) throws ReflectiveOperationException {
    message.unknownTaggedFields().clear();
    for (Field field : MessageFields.of(message.getClass()).values()) {
      Object value = field.get(message);
      if (value instanceof Message nested) {
        clear(nested);
      } else if (value instanceof Collection<?> elements) {
        for (Object element : elements) {
          if (element instanceof Message nested) {
            clear(nested);
          }
        }
      }
    }
  }
}
