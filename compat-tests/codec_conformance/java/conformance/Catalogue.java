package conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.protocol.Message;

/**
 * The classes of Kafka behind the names that {@code protocol_recode --list} prints:
 * {@code api KEY NAME MIN MAX}, {@code data NAME MIN MAX}, {@code header NAME MIN MAX}.
 */
final class Catalogue {
  private final KafkaClasses classes = new KafkaClasses();
  private final Map<String, Target> targets = new LinkedHashMap<>();
  private final List<String> notes = new ArrayList<>();

  private Catalogue() throws IOException {}

  static Catalogue of(BufferedReader list) throws IOException, ReflectiveOperationException {
    Catalogue catalogue = new Catalogue();
    for (String line; (line = list.readLine()) != null; ) {
      if (!line.isBlank()) {
        catalogue.add(line.trim().split("\\s+"));
      }
    }
    return catalogue;
  }

  List<Target> targets() {
    return List.copyOf(targets.values());
  }

  /** The target behind the first words of a line, or null if none has them. */
  Target find(String words) {
    return targets.get(words);
  }

  /** Versions that Kafka's classes have and the list lacks, one sentence each. */
  List<String> notes() {
    return List.copyOf(notes);
  }

  private void add(String[] words) throws ReflectiveOperationException {
    switch (words[0]) {
      case "api" -> addApi(Short.parseShort(words[1]), Short.parseShort(words[3]), Short.parseShort(words[4]));
      case "data" -> addNamed("data", words[1], classes.find(words[1]), Short.parseShort(words[2]), Short.parseShort(words[3]));
      case "header" -> addNamed("header", words[1], classes.find(words[1]), Short.parseShort(words[2]), Short.parseShort(words[3]));
      default -> throw new IllegalArgumentException("unknown kind in the list: " + words[0]);
    }
  }

  private void addApi(short key, short first, short last) throws ReflectiveOperationException {
    ApiMessageType api = ApiMessageType.fromApiKey(key);
    Class<? extends Message> request = api.newRequest().getClass();
    Class<? extends Message> response = api.newResponse().getClass();
    noteMissing("api " + key, request, first, last);
    for (short version = first; version <= last; version++) {
      put(new Target(key + " " + version + " request", request, version));
      put(new Target(key + " " + version + " response", response, version));
    }
  }

  private void addNamed(String kind, String name, Class<? extends Message> type, short first, short last)
      throws ReflectiveOperationException {
    noteMissing(kind + " " + name, type, first, last);
    for (short version = first; version <= last; version++) {
      put(new Target(kind + " " + name + " " + version, type, version));
    }
  }

  private void put(Target target) {
    targets.put(target.words(), target);
  }

  private void noteMissing(String what, Class<?> type, short first, short last) throws ReflectiveOperationException {
    short lowest = type.getField("LOWEST_SUPPORTED_VERSION").getShort(null);
    short highest = type.getField("HIGHEST_SUPPORTED_VERSION").getShort(null);
    if (lowest != first || highest != last) {
      notes.add(what + " is listed as " + first + "-" + last + ", the classes have " + lowest + "-" + highest);
    }
  }
}
