package io.stoker.dispatcher.ledger;

/** Where new identities come from; a seeded twin makes simulations repeatable. */
public interface Ids {
  /** A new job id: unique, and rising with time so that the index grows at one end. */
  String job(long now);

  /** A new attempt token: base64 of 16 random bytes. */
  String token();
}
