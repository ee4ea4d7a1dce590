package io.stoker.dispatcher.model;

import io.stoker.common.request.JobRequest;
import java.util.List;

/**
 * Under what a job's peaks are remembered.
 *
 * @param of which memory they are of
 * @param fingerprint its meaning
 * @param profile what it is like; null if there is nothing to learn
 */
public record MemoryKeys(Of of, String fingerprint, String profile) {
  /** Which memory. */
  public enum Of {
    GPU(""),
    HOST("host ");

    private final String prefix;

    Of(String prefix) {
      this.prefix = prefix;
    }

    /** What the keys of equal jobs begin with, which the fingerprint follows. */
    public String equal() {
      return prefix + "equal ";
    }

    /** What the keys of jobs alike begin with, which the profile follows. */
    public String like() {
      return prefix + "like ";
    }
  }

  /** Keys of GPU memory; the profile is null without a GPU. */
  public MemoryKeys(String fingerprint, String profile) {
    this(Of.GPU, fingerprint, profile);
  }

  /** Keys of host memory, of the job that a request starts. */
  public static MemoryKeys ofHost(String fingerprint, JobRequest request) {
    return new MemoryKeys(Of.HOST, fingerprint, Profile.of(request));
  }

  /** Whether there is anything to learn. */
  public boolean learns() {
    return profile != null;
  }

  public String equal() {
    return of.equal() + fingerprint;
  }

  public String like() {
    return of.like() + profile;
  }

  public List<String> both() {
    return List.of(equal(), like());
  }
}
