package conformance;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.protocol.ByteBufferAccessor;

/** Kafka's reader, which also notices text that is not UTF-8: Kafka replaces such bytes with U+FFFD and so changes the message. */
final class TextCheckingReader extends ByteBufferAccessor {
  private boolean changedText;

  TextCheckingReader(ByteBuffer bytes) {
    super(bytes);
  }

  boolean changedText() {
    return changedText;
  }

  @Override
  public String readString(int length) {
    byte[] bytes = readArray(length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException broken) {
      changedText = true;
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
