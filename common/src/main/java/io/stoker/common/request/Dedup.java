package io.stoker.common.request;

/** The ways in which a request is shared with its equals. */
public sealed interface Dedup {
  /** Equal requests run once. The default. */
  record Share() implements Dedup {}

  /** This run is nobody else's. */
  record Always() implements Dedup {}

  /**
   * Equal is what carries the same key.
   *
   * @param key 1 to {@value #MAX_KEY} characters, the producer's own meaning
   */
  record Key(String key) implements Dedup {
    public static final int MAX_KEY = 512;
  }
}
