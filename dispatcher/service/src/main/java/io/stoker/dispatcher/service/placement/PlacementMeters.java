package io.stoker.dispatcher.service.placement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.stoker.dispatcher.coordinator.placement.PlacementListener;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.concurrent.TimeUnit;

/** Measures placement. */
@ApplicationScoped
public class PlacementMeters implements PlacementListener {
  private final Timer passes;
  private final Timer decisions;
  private final Counter searches;
  private final Counter heads;
  private final Counter atOnce;
  private final Counter preempted;

  PlacementMeters(MeterRegistry meters) {
    passes = meters.timer("stoker.placement.pass");
    decisions = meters.timer("stoker.placement.decision");
    searches = meters.counter("stoker.placement.searches");
    heads = meters.counter("stoker.placement.heads");
    atOnce = meters.counter("stoker.placement.immediate");
    preempted = meters.counter("stoker.preemptions");
  }

  @Override
  public void passed(long nanos) {
    passes.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void decided(long nanos) {
    decisions.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void searched(long times) {
    searches.increment(times);
  }

  @Override
  public void read(int jobs) {
    heads.increment(jobs);
  }

  @Override
  public void placedAtOnce(int attempts) {
    atOnce.increment(attempts);
  }

  @Override
  public void preempted(int jobs) {
    preempted.increment(jobs);
  }
}
