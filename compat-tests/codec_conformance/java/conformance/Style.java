package conformance;

/** What kind of values an instance is made of. The first instances of a message take one style each, the rest are mixed. */
enum Style {
  /** Nothing is set. */
  DEFAULTS,
  /** Null where allowed, else empty, zero, false. */
  EMPTY,
  /** Least integers, one element in each array. */
  SMALLEST,
  /** Greatest integers, two elements in each array. */
  GREATEST,
  /** Mixed, with unknown tags in every struct of a flexible version. */
  UNKNOWN_TAGS,
  /** Mixed, with one string or bytes field longer than 127 bytes. */
  LONG_TEXT,
  /** Mixed, with one string or bytes field longer than 16,383 bytes. */
  HUGE_TEXT,
  /** Mixed, with one string of exactly 32,767 bytes, the longest that there is. */
  LONGEST_TEXT,
  /** Mixed, with one array of more than 127 elements. */
  LONG_ARRAY,
  MIXED;

  static Style of(int index) {
    return values()[Math.min(index, MIXED.ordinal())];
  }
}
