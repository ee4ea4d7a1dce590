package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.dispatcher.placement.Labels;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The pools of workers that kinds declare, as far as they are for a host: a kind's {@code
 * resources.require} and {@code resources.avoid} are its pool's, too.
 */
public final class KindPools {
  private static final String RESOURCES = "resources";

  private KindPools() {}

  /**
   * What a host is to be told, if anything.
   *
   * @param told the generation that it was told last, if that is known
   */
  public static Optional<SetPools> due(
      Kinds kinds, String host, HostResources resources, Optional<Long> told) {
    if (!takes(resources)
        || kinds.generation() == 0
        || told.filter(last -> last == kinds.generation()).isPresent()) {
      return Optional.empty();
    }
    List<WorkerPool> pools = on(kinds, host, resources);
    boolean had =
        told.isPresent()
            || resources.pools() != null
                && resources.pools().stream().anyMatch(pool -> pool.kind() != null);
    return pools.isEmpty() && !had
        ? Optional.empty()
        : Optional.of(new SetPools(kinds.generation(), pools));
  }

  /** Secrets that the workers of a pool have, by variable; none of one that no kind declares. */
  public static Map<String, String> secrets(Kinds kinds, String pool) {
    return declared(kinds, pool)
        .flatMap(kind -> kind.pool().map(WorkerPool::secrets))
        .orElse(Map.of());
  }

  private static Optional<Kind> declared(Kinds kinds, String pool) {
    return kinds.byName().values().stream()
        .filter(kind -> kind.pool().filter(one -> one.name().equals(pool)).isPresent())
        .findFirst();
  }

  /** Whether there are pools for a host whose agent, of an earlier version, cannot be told. */
  public static boolean kept(Kinds kinds, String host, HostResources resources) {
    return !takes(resources) && !on(kinds, host, resources).isEmpty();
  }

  private static boolean takes(HostResources resources) {
    return Boolean.TRUE.equals(resources.kindPools());
  }

  /** In order of name. */
  static List<WorkerPool> on(Kinds kinds, String host, HostResources resources) {
    return kinds.byName().values().stream()
        .filter(kind -> isFor(kind, host, resources))
        .flatMap(kind -> kind.pool().stream())
        .sorted(Comparator.comparing(WorkerPool::name))
        .toList();
  }

  private static boolean isFor(Kind kind, String host, HostResources resources) {
    JsonNode avoid = kind.definition().path(RESOURCES).path("avoid");
    return StreamSupport.stream(avoid.spliterator(), false)
            .noneMatch(one -> one.asText().equals(host))
        && Labels.all(required(kind), resources);
  }

  /** The labels of the hosts that a kind is for. */
  static Map<String, String> required(Kind kind) {
    return kind.definition().path(RESOURCES).path("require").properties().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().asText()));
  }

  /**
   * Why a host has not a pool that a kind declares, for people; empty if no kind declares it.
   *
   * @param resources the host's, if they are known
   */
  public static Optional<String> missing(
      Kinds kinds, String pool, String host, Optional<HostResources> resources) {
    boolean untold =
        resources
            .filter(known -> !takes(known))
            .map(known -> on(kinds, host, known))
            .filter(all -> all.stream().anyMatch(one -> one.name().equals(pool)))
            .isPresent();
    return sentence(kinds, pool)
        .map(
            text ->
                untold
                    ? text + "; its agent is of a version that knows no such pools: update it"
                    : text);
  }

  /** Which hosts have a pool, for people; empty if no kind declares it. */
  public static Optional<String> sentence(Kinds kinds, String pool) {
    return declared(kinds, pool)
        .map(
            kind -> {
              Map<String, String> labels = new java.util.TreeMap<>(required(kind));
              return labels.isEmpty()
                  ? "kind %s declares it for every host".formatted(kind.name())
                  : "kind %s declares it for hosts with %s"
                      .formatted(
                          kind.name(),
                          labels.entrySet().stream()
                              .map(one -> one.getKey() + "=" + one.getValue())
                              .collect(Collectors.joining(", ")));
            });
  }
}
