package io.stoker.common.message;

import java.util.List;
import java.util.Objects;

/**
 * One record on a host's placements topic: what a dispatcher tells one agent.
 *
 * @param v version of the format, 1
 * @param host the host it is for
 * @param epoch the epoch it is for; an agent acts on its own epoch alone. 0 for a welcome, which
 *     grants one, and for the other answers to a hello
 * @param messages at least one, in order
 * @param mac HMAC of the record's bytes before this field, which is the last one, under the host's
 *     {@linkplain io.stoker.common.security.Macs#placementsKey key for placements}; null from
 *     dispatchers that know no keys, or are of the build before
 */
public record PlacementsRecord(int v, String host, long epoch, List<ToAgent> messages, String mac) {
  public static final int VERSION = 1;

  /** Not signed. */
  public PlacementsRecord(String host, long epoch, List<ToAgent> messages) {
    this(VERSION, host, epoch, messages, null);
  }

  /** The same record with these messages. */
  public PlacementsRecord with(List<ToAgent> others) {
    return new PlacementsRecord(v, host, epoch, others, mac);
  }

  /** Without the messages of a later version's kinds, which are null here. */
  public PlacementsRecord known() {
    boolean all = messages == null || messages.stream().noneMatch(Objects::isNull);
    return all ? this : with(messages.stream().filter(Objects::nonNull).toList());
  }
}
