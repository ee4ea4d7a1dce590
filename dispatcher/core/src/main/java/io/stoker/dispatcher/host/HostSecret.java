package io.stoker.dispatcher.host;

import io.stoker.common.life.Setting;
import io.stoker.common.security.Macs;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The secret from which the keys of all hosts follow. */
public record HostSecret(byte[] bytes) {
  /**
   * A key of a later generation than is known is taken: only who has the secret can make it, and a
   * dispatcher may hear of it before it reads that people have asked for it.
   */
  private static final int AHEAD = 2;

  /**
   * The one that is configured.
   *
   * @throws IllegalArgumentException if it is no hex
   */
  public static HostSecret configured(String hex) {
    return new HostSecret(Setting.secret("stoker.host-secret", hex));
  }

  public byte[] key(String host, int generation) {
    return Macs.hostKey(bytes, host, generation);
  }

  /**
   * The generation of the host's key that fits, if one does that is taken.
   *
   * @param fits whether something is signed with a key
   */
  public OptionalInt signer(String host, HostKeyBook.Taken taken, Predicate<byte[]> fits) {
    IntStream before = IntStream.range(taken.oldest(), taken.newest());
    IntStream ahead = IntStream.rangeClosed(taken.newest(), taken.newest() + AHEAD);
    return IntStream.concat(ahead, before)
        .filter(generation -> fits.test(key(host, generation)))
        .findFirst();
  }
}
