package io.stoker.dispatcher.service.rest;

import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.service.kinds.KindsBook;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Adds to hosts' answers to a job of a pool how the pool is there. */
@ApplicationScoped
public class PoolExplainer {
  private final KindsBook kinds;
  private final HostDirectory directory;

  PoolExplainer(KindsBook kinds, HostDirectory directory) {
    this.kinds = kinds;
    this.directory = directory;
  }

  /**
   * The answers, with more to those of which the pool is the obstacle.
   *
   * @param resources what hosts have told of themselves, by host
   */
  List<HostAnswer> of(List<HostAnswer> answers, String pool, Map<String, HostResources> resources) {
    return answers.stream()
        .map(
            one ->
                PoolWords.in(
                    one,
                    pool,
                    kinds.current(),
                    Optional.ofNullable(resources.get(one.host())),
                    report(one.host(), pool)))
        .toList();
  }

  private Optional<PoolState> report(String host, String pool) {
    return directory
        .lastHeartbeat(host)
        .map(Heartbeat::pools)
        .flatMap(pools -> pools.stream().filter(one -> one.name().equals(pool)).findFirst());
  }
}
