package conformance;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/**
 * Kafka's reader, except that text which is not UTF-8 is an error. Kafka replaces such bytes with U+FFFD, which would
 * change the message: those inputs cannot be compared and have to be told apart.
 */
final class StrictReader extends ByteBufferAccessor {
  static final class NotUtf8 extends RuntimeException {
    private static final long serialVersionUID = 1;

    NotUtf8() {
      super("text is not UTF-8");
    }
  }

  StrictReader(ByteBuffer bytes) {
    super(bytes);
  }

  @Override
  public String readString(int length) {
    byte[] bytes = readArray(length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException broken) {
      throw new NotUtf8();
    }
  }
}
