package io.stoker.dispatcher.placement;

import java.util.List;

/**
 * A job for which room is kept, since what is smaller would go before it for ever.
 *
 * @param hosts those that are kept free for it, as many as it takes at once; none while others are
 *     served first
 * @param since when it got the claim, ms since 1970
 */
public record Claim(String job, String queue, List<String> hosts, long since) {

  /** For a job that takes one host. */
  public Claim(String job, String queue, String host, long since) {
    this(job, queue, List.of(host), since);
  }

  Claim on(List<String> others) {
    return new Claim(job, queue, others, since);
  }
}
