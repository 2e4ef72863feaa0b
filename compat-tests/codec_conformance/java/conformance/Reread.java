package conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.Message;

/**
 * Reads lines {@code WORDS TAB HEX} and answers each with one line: {@code HEX TAB ODDITIES}, the bytes that Kafka's
 * classes write after reading them, without unknown tags, and what is odd about the input; or {@code error REASON}.
 * Instead of HEX it is {@code -} where the input holds text that is not UTF-8. Bytes after a complete message are
 * ignored, as by Kafka.
 */
final class Reread {
  private static final HexFormat HEX = HexFormat.of();

  private Reread() {}

  static void run(Catalogue catalogue, BufferedReader in, PrintStream out) throws IOException {
    for (String line; (line = in.readLine()) != null; ) {
      int tab = line.indexOf('\t');
      out.println(answer(catalogue.find(line.substring(0, tab)), line.substring(tab + 1)));
    }
  }

  private static String answer(Target target, String hex) {
    if (target == null) {
      return "error unknown target";
    }
    try {
      byte[] bytes = HEX.parseHex(hex);
      TextCheckingReader reader = new TextCheckingReader(ByteBuffer.wrap(bytes));
      Message message = target.read(reader);
      String oddities = Oddities.in(ByteBuffer.wrap(bytes), target.schema());
      return (reader.changedText() ? "-" : written(target, message)) + "\t" + oddities;
    } catch (ReflectiveOperationException | RuntimeException refused) {
      return "error " + refused.getClass().getSimpleName() + " " + String.valueOf(refused.getMessage()).replace('\n', ' ');
    }
  }

  private static String written(Target target, Message message) throws ReflectiveOperationException {
    UnknownTags.clear(message);
    return HEX.formatHex(target.write(message));
  }
}
