package conformance;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.apache.kafka.common.Uuid;

/** Random leaves: integers, texts, bytes. One instance fills one message, so that it can keep its one long text. */
final class Values {
  private static final String[] LETTERS = {"a", "Z", "0", "-", ".", "\"", "\\", "\n", "\u0000", "\u007f", "ä", "ß", "Ω", "語", "한", "\uffff", "😀", "𝄞"};

  private final Random random;
  private final Style style;
  private boolean longTextUsed;

  Values(Random random, Style style) {
    this.random = random;
    this.style = style;
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  /** An integer of `bits` bits, as the least, the greatest, zero, or anything. */
  long integer(int bits, boolean signed) {
    long least = signed ? -1L << (bits - 1) : 0;
    long greatest = signed ? ~least : (1L << bits) - 1;
    return switch (style) {
      case EMPTY -> 0;
      case SMALLEST -> least;
      case GREATEST -> greatest;
      default -> switch (random.nextInt(8)) {
        case 0 -> least;
        case 1 -> greatest;
        case 2 -> 0;
        case 3 -> signed ? -1 : 1;
        case 4, 5 -> random.nextInt(100);
        default -> signed ? random.nextLong() >> (64 - bits) : random.nextLong() & greatest;
      };
    };
  }

  boolean bool() {
    return switch (style) {
      case EMPTY, SMALLEST -> false;
      case GREATEST -> true;
      default -> random.nextBoolean();
    };
  }

  double float64() {
    return switch (style) {
      case EMPTY -> 0;
      case SMALLEST -> -Double.MAX_VALUE;
      case GREATEST -> Double.MAX_VALUE;
      default -> switch (random.nextInt(8)) {
        case 0 -> -0.0;
        case 1 -> Double.MIN_VALUE;
        case 2 -> Double.POSITIVE_INFINITY;
        case 3 -> Double.NaN;
        case 4 -> random.nextInt(1000);
        case 5 -> random.nextGaussian();
        default -> random.nextLong() / 7.0e-30;
      };
    };
  }

  Uuid uuid() {
    return switch (style) {
      case EMPTY -> Uuid.ZERO_UUID;
      case SMALLEST -> new Uuid(Long.MIN_VALUE, Long.MIN_VALUE);
      case GREATEST -> new Uuid(-1, -1);
      default -> chance(20) ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
    };
  }

  String text() {
    if (style == Style.EMPTY) {
      return "";
    }
    int longBytes = takeLongText();
    if (longBytes > 0) {
      return longText(longBytes);
    }
    StringBuilder out = new StringBuilder();
    boolean plain = chance(50);
    for (int left = chance(10) ? 0 : random.nextInt(12); left > 0; left--) {
      out.append(plain ? String.valueOf((char) ('a' + random.nextInt(26))) : LETTERS[random.nextInt(LETTERS.length)]);
    }
    return out.toString();
  }

  byte[] bytes() {
    int length = style == Style.EMPTY ? 0 : random.nextInt(24);
    int longBytes = takeLongText();
    byte[] out = new byte[longBytes > 0 ? longBytes : length];
    random.nextBytes(out);
    return out;
  }

  /** The length of the one long text of this message the first time, 0 afterwards and in other styles. */
  private int takeLongText() {
    if (longTextUsed) {
      return 0;
    }
    int length = switch (style) {
      case LONG_TEXT -> 126 + random.nextInt(4);
      case HUGE_TEXT -> 16_382 + random.nextInt(4);
      case LONGEST_TEXT -> Short.MAX_VALUE;
      default -> 0;
    };
    longTextUsed = length > 0;
    return length;
  }

  private static String longText(int bytes) {
    String ending = "ä語😀";
    return "a".repeat(bytes - ending.getBytes(StandardCharsets.UTF_8).length) + ending;
  }
}
