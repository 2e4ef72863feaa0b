package conformance;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The fields of Kafka's generated classes, opened for reading and writing, by the snake_case names of the schemas. */
final class MessageFields {
  private static final Map<Class<?>, Map<String, Field>> KNOWN = new ConcurrentHashMap<>();

  private MessageFields() {}

  static Map<String, Field> of(Class<?> type) {
    return KNOWN.computeIfAbsent(type, MessageFields::read);
  }

  private static Map<String, Field> read(Class<?> type) {
    Map<String, Field> out = new LinkedHashMap<>();
    for (Field field : type.getDeclaredFields()) {
      if (!Modifier.isStatic(field.getModifiers())) {
        field.setAccessible(true);
        out.put(Names.snake(field.getName()), field);
      }
    }
    return out;
  }
}
