package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Iterator;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Kafka's JSON in the spelling of protocol_recode: snake_case names, bytes as lower-case hex. Kafka writes no bytes for
 * a field of records, they are taken from the message. Nothing else changes: only fields of the version, tagged fields
 * only when they differ from their default, numbers as they are.
 */
final class NormalJson {
  private static final HexFormat HEX = HexFormat.of();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private NormalJson() {}

  /** @param value what Kafka made `kafka` of: a message, a collection, records, or a leaf */
  static JsonNode of(JsonNode kafka, Object value) throws ReflectiveOperationException, IOException {
    if (value instanceof Message message && kafka.isObject()) {
      return object(kafka, message);
    }
    if (value instanceof Collection<?> elements && kafka.isArray()) {
      return array(kafka, elements.iterator());
    }
    if (value instanceof MemoryRecords records && kafka.isBinary()) {
      ByteBuffer buffer = records.buffer();
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return JSON.textNode(HEX.formatHex(bytes));
    }
    return kafka.isBinary() ? JSON.textNode(HEX.formatHex(kafka.binaryValue())) : kafka;
  }

  private static ObjectNode object(JsonNode kafka, Message message) throws ReflectiveOperationException, IOException {
    ObjectNode out = JSON.objectNode();
    for (var member : kafka.properties()) {
      String name = Names.snake(member.getKey());
      Field field = MessageFields.of(message.getClass()).get(name);
      if (field == null) {
        throw new NoSuchFieldException(message.getClass().getName() + " has nothing for " + member.getKey() + " of its JSON");
      }
      out.set(name, of(member.getValue(), field.get(message)));
    }
    return out;
  }

  private static ArrayNode array(JsonNode kafka, Iterator<?> elements) throws ReflectiveOperationException, IOException {
    ArrayNode out = JSON.arrayNode();
    for (JsonNode element : kafka) {
      out.add(of(element, elements.next()));
    }
    return out;
  }
}
