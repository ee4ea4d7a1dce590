package io.stoker.dispatcher.service.config;

import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.OptionalLong;

/** The configuration of placement. */
public interface PlacementConfig {
  /** How long an agent may take to accept a placement. */
  @WithDefault("10s")
  @WithConverter(Held.Period.class)
  Duration acceptWithin();

  /** How often an unaccepted placement is published again. */
  @WithDefault("2s")
  @WithConverter(Held.Period.class)
  Duration publishAgain();

  /** How long a scheduler that is not heard of keeps its fleet. */
  @WithDefault("3s")
  @WithConverter(Held.Period.class)
  Duration takeover();

  /** How long the first of a queue is passed over by what fits before a host is held for it. */
  @WithDefault("60s")
  @WithConverter(Held.Time.class)
  Duration reserveAfter();

  /** How long passes find that no host can ever serve a job before its status says so. */
  @WithDefault("10s")
  @WithConverter(Held.Time.class)
  Duration sayNeverAfter();

  /** Jobs of one queue and shape that one pass looks at. */
  @WithDefault("128")
  int heads();

  /** By which hosts that suit a job equally are drawn; a random one if not given. */
  OptionalLong seed();
}
