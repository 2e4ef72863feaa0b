package conformance;

import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.Message;

/**
 * Writes lines {@code WORDS TAB HEX TAB EXPECTED TAB JSON}: the message as Kafka's classes serialise it, what they
 * serialise without the unknown tags ({@code =} if that is the same), and their JSON.
 */
final class Generate {
  private static final HexFormat HEX = HexFormat.of();

  private Generate() {}

  static void run(List<Target> targets, long seed, int count, PrintStream out) {
    targets.parallelStream().map(target -> lines(target, seed, count)).forEachOrdered(out::print);
  }

  private static String lines(Target target, long seed, int count) {
    StringBuilder out = new StringBuilder();
    for (int index = 0; index < count; index++) {
      try {
        line(target, mixed(seed, target.words(), index), Style.of(index), out);
      } catch (ReflectiveOperationException | IOException | RuntimeException failed) {
        throw new IllegalStateException(target.words() + ", instance " + index, failed);
      }
    }
    return out.toString();
  }

  private static void line(Target target, long seed, Style style, StringBuilder out)
      throws ReflectiveOperationException, IOException {
    Message known = target.create();
    new Filler(style, new Random(seed), null).fill(known, target.schema());
    byte[] expected = target.write(known);

    byte[] sent = expected;
    if (style == Style.UNKNOWN_TAGS || (style != Style.DEFAULTS && seed % 5 == 0)) {
      Message tagged = target.create();
      new Filler(style, new Random(seed), new Random(~seed)).fill(tagged, target.schema());
      sent = target.write(tagged);
    }
    out.append(target.words()).append('\t').append(HEX.formatHex(sent)).append('\t')
        .append(Arrays.equals(sent, expected) ? "=" : HEX.formatHex(expected)).append('\t')
        .append(NormalJson.of(target.json(known), known)).append('\n');
  }

  /** A seed of its own for each instance, so that one message more or less leaves the others as they are. */
  private static long mixed(long seed, String words, int index) {
    long mixed = (seed * 31 + words.hashCode()) * 1_000_003 + index;
    mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
    return mixed ^ (mixed >>> 33);
  }
}
