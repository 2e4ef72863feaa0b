package conformance;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarFile;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.Message;

/** Kafka's generated classes without an API key, by name: {@code offset_commit_key} is OffsetCommitKey, {@code request_header} is RequestHeaderData. */
final class KafkaClasses {
  /** One class of each jar, in the package of all generated classes of that jar. */
  private static final Class<?>[] SAMPLES = {
    RequestHeaderData.class,
    org.apache.kafka.coordinator.group.generated.OffsetCommitKey.class,
    org.apache.kafka.coordinator.transaction.generated.TransactionLogKey.class,
    org.apache.kafka.coordinator.share.generated.ShareSnapshotKey.class,
  };

  private final Map<String, String> classNames = new HashMap<>();

  KafkaClasses() throws IOException {
    for (Class<?> sample : SAMPLES) {
      index(sample);
    }
  }

  Class<? extends Message> find(String snakeName) throws ClassNotFoundException {
    String className = classNames.get(snakeName);
    if (className == null) {
      throw new ClassNotFoundException("no class of Kafka is called " + snakeName);
    }
    return Class.forName(className).asSubclass(Message.class);
  }

  private static Path jarOf(Class<?> sample) throws IOException {
    try {
      return Path.of(sample.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException odd) {
      throw new IOException(odd);
    }
  }

  private void index(Class<?> sample) throws IOException {
    String folder = sample.getPackageName().replace('.', '/') + "/";
    try (JarFile jar = new JarFile(jarOf(sample).toFile())) {
      jar.stream().map(entry -> entry.getName())
          .filter(name -> name.startsWith(folder) && name.endsWith(".class") && name.indexOf('$') < 0)
          .map(name -> name.substring(folder.length(), name.length() - ".class".length()))
          .filter(name -> !name.endsWith("JsonConverter"))
          .forEach(name -> classNames.put(Names.snake(name.replaceFirst("Data$", "")), sample.getPackageName() + "." + name));
    }
  }
}
