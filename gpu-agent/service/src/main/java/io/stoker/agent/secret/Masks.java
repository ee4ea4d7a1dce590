package io.stoker.agent.secret;

import java.util.BitSet;
import java.util.List;

/**
 * Hides secrets in what jobs write: a star for each byte, so that places in a file stay what they
 * are. What a job writes in another form, such as base64, is not known.
 */
public final class Masks {
  /** Hides nothing. */
  public static final Masks NONE = new Masks(List.of());

  private static final byte STAR = '*';

  private final List<byte[]> secrets;

  /** Hides these values. */
  Masks(List<byte[]> secrets) {
    this.secrets = secrets;
  }

  /**
   * Hides them.
   *
   * @param more whether more may follow
   * @return how many of the bytes can be shown: what may be the beginning of a secret waits for
   *     what follows
   */
  public int hide(byte[] bytes, int length, boolean more) {
    if (secrets.isEmpty()) {
      return length;
    }
    BitSet hidden = new BitSet(length);
    int shown = length;
    for (byte[] secret : secrets) {
      for (int at = 0; at < length; at++) {
        int same = same(secret, bytes, at, length);
        if (same == secret.length) {
          hidden.set(at, at + same);
        } else if (more && at + same == length) {
          shown = Math.min(shown, at);
        }
      }
    }
    for (int at = hidden.nextSetBit(0); at >= 0; at = hidden.nextSetBit(at + 1)) {
      bytes[at] = STAR;
    }
    // What begins before the cut is looked at again as a whole.
    return shown < length && hidden.get(shown) ? hidden.previousClearBit(shown) + 1 : shown;
  }

  /** Hides them in all that there is. */
  public byte[] hide(byte[] bytes) {
    hide(bytes, bytes.length, false);
    return bytes;
  }

  /** The longest of them, bytes. */
  public int longest() {
    return secrets.stream().mapToInt(secret -> secret.length).max().orElse(0);
  }

  private static int same(byte[] secret, byte[] bytes, int at, int length) {
    int most = Math.min(secret.length, length - at);
    int same = 0;
    while (same < most && secret[same] == bytes[at + same]) {
      same++;
    }
    return same;
  }
}
