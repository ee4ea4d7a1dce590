package io.stoker.dispatcher.placement;

/**
 * A job for which room is kept, since what is smaller would go before it for ever.
 *
 * @param host the host that is kept free for it, null while others are served first
 * @param since when it got the claim, ms since 1970
 */
public record Claim(String job, String queue, String host, long since) {
  Claim on(String other) {
    return new Claim(job, queue, other, since);
  }
}
