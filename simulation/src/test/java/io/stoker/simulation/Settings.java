package io.stoker.simulation;

import io.stoker.common.size.SendLimits;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.retention.Retention;
import io.stoker.dispatcher.placement.SuspectRules;
import java.time.Duration;

/** Times, as the configuration has them but shorter, in ms. */
final class Settings {
  /** Of which hosts' keys follow. */
  static final byte[] HOST_SECRET = {1, 2, 3};

  static final long LEASE = 10_000;
  static final long MARGIN = 4_000;
  static final long HEARTBEAT = 1_000;
  static final long INVENTORY = 8_000;
  static final long ACCEPT_WITHIN = 4_000;
  static final long PUBLISH_AGAIN = 1_500;
  static final long TAKEOVER = 3_000;

  /** How long a dispatcher goes by a claim that it cannot renew. */
  static final long RELIED_ON = 10_000;

  /** Who is stopped for longer loses its transactions, and its records to others. */
  static final long NOT_MISSED = 2_000;

  static final long RESERVE_AFTER = 3_000;
  static final long SAY_NEVER_AFTER = 2_000;
  static final long REMEMBER = 86_400_000;
  static final long HALF_LIFE = 60_000;
  static final long MIN_RUN = 1_000;
  static final SuspectRules SUSPECTS = new SuspectRules(2, 60_000, 4_000, 2);
  static final Backoff BACKOFF = new Backoff(1_000, 2, 6_000, 0.5);

  /** Of the group that some requests are of. */
  static final long GROUP_RETRIES = 3;

  static final String GROUP = "g";
  static final int HEADS = 16;
  static final int CHUNK = 3;
  static final int RETRIES = 2;
  static final int COMPARED = 4;
  static final Retention.Terms KEPT =
      new Retention.Terms(
          Duration.ofDays(1), Duration.ofDays(1), Duration.ofDays(1), Duration.ofSeconds(10));

  /** Some requests are larger than a record, a few than may be sent at all. */
  static final SendLimits SENDS = new SendLimits(2_000, 2_500, 6_000, 3_000);

  /** What the watchdog takes from a deadline to the last death. */
  static final int KILL_TIME = 700;

  static final String FLEET = "default";

  private Settings() {}
}
