package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.attempt.AttemptReports.Refusal;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hosts that could not take a shape of job, until they report a change. Soft state: forgetting it
 * costs one more returned placement.
 */
@ApplicationScoped
public class Refusals {
  private final Map<String, Set<String>> hostsByShape = new ConcurrentHashMap<>();

  public void refused(Refusal refusal) {
    hostsByShape
        .computeIfAbsent(refusal.shape(), shape -> ConcurrentHashMap.newKeySet())
        .add(refusal.host());
  }

  /** The host has reported a change, or had an attempt end: it may be asked again. */
  public void changed(String host) {
    hostsByShape.values().forEach(hosts -> hosts.remove(host));
  }

  public Set<String> hosts(String shape) {
    return Set.copyOf(hostsByShape.getOrDefault(shape, Set.of()));
  }
}
