package conformance;

/** Spelling: Kafka's classes say {@code throttleTimeMs}, its schemas and Braid say {@code throttle_time_ms}. */
final class Names {
  private Names() {}

  /** A run of capitals, the first letter counted as one, stays one word as in Kafka's own schemas: {@code kRaftVersion} is {@code kraft_version}. */
  static String snake(String camel) {
    StringBuilder out = new StringBuilder();
    boolean afterCapital = true;
    for (int i = 0; i < camel.length(); i++) {
      boolean capital = i == 0 || Character.isUpperCase(camel.charAt(i));
      if (capital && !afterCapital) {
        out.append('_');
      }
      out.append(Character.toLowerCase(camel.charAt(i)));
      afterCapital = capital;
    }
    return out.toString();
  }
}
