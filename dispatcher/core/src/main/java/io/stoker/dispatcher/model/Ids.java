package io.stoker.dispatcher.model;

/** Generates identities; a seeded one makes simulations repeatable. */
public interface Ids {
  /** A new job id: unique, and rising with time so that the index grows at one end. */
  String job(long now);

  /** A new attempt token: base64 of 16 random bytes. */
  String token();
}
