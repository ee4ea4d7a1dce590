package io.stoker.dispatcher.memory;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Estimates how long jobs of a kind run: the mean of recent ones and four times the mean deviation
 * above it, as TCP does for its retransmission timer (RFC 6298). Soft state of a replica: it learns
 * anew after a restart, of what it hears itself.
 */
public class RunTimes {
  /** Profiles that are remembered, those that were heard of last. */
  private static final int MOST = 10_000;

  private static final double MEAN_GAIN = 1 / 8.0;
  private static final double DEVIATION_GAIN = 1 / 4.0;

  private final Map<String, RunTime> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RunTime> eldest) {
          return size() > MOST;
        }
      };

  private record RunTime(double mean, double deviation) {
    RunTime and(long ms) {
      double off = ms - mean;
      return new RunTime(
          mean + MEAN_GAIN * off, deviation + DEVIATION_GAIN * (Math.abs(off) - deviation));
    }
  }

  /** One like this has run for so long, ms. */
  public synchronized void ran(String profile, long ms) {
    known.merge(profile, new RunTime(ms, ms / 2.0), (before, first) -> before.and(ms));
  }

  /** How long one like this runs at most, very likely, ms; empty if none has. */
  public synchronized OptionalLong expected(String profile) {
    RunTime so = known.get(profile);
    return so == null
        ? OptionalLong.empty()
        : OptionalLong.of(Math.max(1, Math.round(so.mean() + 4 * so.deviation())));
  }
}
