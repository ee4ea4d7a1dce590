package io.stoker.dispatcher.service.config;

import io.stoker.dispatcher.model.Ids;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Job ids of 10 characters of time (48 bits of ms) and 13 of chance (65 bits), in base 32: unique
 * without asking anybody, and in order of time, so that the index grows at its end.
 */
@ApplicationScoped
public class RandomIds implements Ids {
  private static final char[] DIGITS = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
  private static final int TIME_DIGITS = 10;
  private static final int RANDOM_DIGITS = 13;

  private final SecureRandom random = new SecureRandom();

  @Override
  public String job(long now) {
    char[] id = new char[TIME_DIGITS + RANDOM_DIGITS];
    long time = now;
    for (int i = TIME_DIGITS - 1; i >= 0; i--) {
      id[i] = DIGITS[(int) (time & 31)];
      time >>>= 5;
    }
    byte[] chance = new byte[RANDOM_DIGITS];
    random.nextBytes(chance);
    for (int i = 0; i < RANDOM_DIGITS; i++) {
      id[TIME_DIGITS + i] = DIGITS[chance[i] & 31];
    }
    return new String(id);
  }

  @Override
  public String token() {
    byte[] token = new byte[16];
    random.nextBytes(token);
    return Base64.getEncoder().encodeToString(token);
  }
}
