package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HexFormat;

/**
 * Kafka's JSON in the spelling of protocol_recode: snake_case names, bytes as lower-case hex. Nothing else changes:
 * only fields of the version, tagged fields only when they differ from their default, numbers as they are.
 */
final class NormalJson {
  private NormalJson() {}

  static JsonNode of(JsonNode kafka) {
    if (kafka.isObject()) {
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      kafka.properties().forEach(field -> out.set(Names.snake(field.getKey()), of(field.getValue())));
      return out;
    }
    if (kafka.isArray()) {
      ArrayNode out = JsonNodeFactory.instance.arrayNode();
      kafka.forEach(element -> out.add(of(element)));
      return out;
    }
    return kafka.isBinary() ? JsonNodeFactory.instance.textNode(hex(kafka)) : kafka;
  }

  private static String hex(JsonNode binary) {
    try {
      return HexFormat.of().formatHex(binary.binaryValue());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }
}
