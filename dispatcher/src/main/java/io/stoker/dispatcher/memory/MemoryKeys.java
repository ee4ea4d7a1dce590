package io.stoker.dispatcher.memory;

import java.util.List;

/**
 * Under what a job's peaks are remembered.
 *
 * @param fingerprint its meaning
 * @param profile what it is like; null if it asks for no GPU
 */
public record MemoryKeys(String fingerprint, String profile) {
  /** Whether there is anything to learn. */
  public boolean learns() {
    return profile != null;
  }

  public String equal() {
    return "equal " + fingerprint;
  }

  public String like() {
    return like(profile);
  }

  /** Under what jobs of a profile are remembered. */
  public static String like(String profile) {
    return "like " + profile;
  }

  public List<String> both() {
    return List.of(equal(), like());
  }
}
