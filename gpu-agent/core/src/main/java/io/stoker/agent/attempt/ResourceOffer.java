package io.stoker.agent.attempt;

import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.pool.PoolReport;
import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.common.message.HostMessage.RunnerState;
import io.stoker.common.message.HostMessage.SettingAnswer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The resources of a host, in the words of its messages. */
public final class ResourceOffer {
  private ResourceOffer() {}

  /**
   * As it is now.
   *
   * @param maxWaiting staged jobs that it holds without a GPU, 0 = any number
   * @param memory bytes of host memory that its jobs may be promised in all, if that is known
   */
  public static HostResources of(
      AgentState state, Map<String, String> labels, int maxWaiting, OptionalLong memory, Now now) {
    Inventory inventory = state.ledger().inventory();
    return HostResources.of(
        offer -> {
          offer.devices =
              inventory.devices().stream()
                  .map(device -> device(device, state.condition(device)))
                  .toList();
          offer.cpuSlots = inventory.cpuSlots();
          offer.labels = labels;
          offer.gpuState =
              inventory
                  .noGpu()
                  .or(() -> inventory.versions().map(versions -> "driver " + versions.driver()))
                  .orElse(null);
          offer.policy = state.allocator().policyName();
          offer.problem = state.allocator().problem().orElse(null);
          offer.sharedMemory = boxed(state.allocator().assumed(inventory));
          offer.stagedWaiting = maxWaiting == 0 ? Integer.MAX_VALUE : maxWaiting;
          offer.pools = offers(state);
          offer.runners = state.service().offers(state.ledger());
          offer.users = state.service().users().isEmpty() ? null : state.service().users();
          offer.maxOutageMs = boxed(state.lease().outage(now.bootMs()));
          offer.memory = boxed(memory);
          offer.refuses = state.fitness.why().orElse(null);
          offer.kindPools = true;
          offer.answers = answers(state);
          offer.parts = true;
          offer.keeps = state.service().keeps().orElse(null);
          offer.lookAhead = state.mostAhead == 0 ? null : Integer.valueOf(state.mostAhead);
        });
  }

  /** What it serves, and how much of it is free. */
  public static List<RunnerState> runners(AgentState state) {
    return state.service().states(state.ledger(), state.live.values());
  }

  /** Bytes of host memory that can be had, as last measured; null if it was not. */
  public static Long memoryFree(AgentState state) {
    return state.load.map(HostLoad::memoryFree).orElse(null);
  }

  private static List<SettingAnswer> answers(AgentState state) {
    List<SettingAnswer> answers = state.allocator().answers();
    return answers.isEmpty() ? null : answers;
  }

  private static List<PoolOffer> offers(AgentState state) {
    List<PoolReport> reports = state.pools().reports();
    return reports.isEmpty()
        ? null
        : reports.stream()
            .map(
                pool -> new PoolOffer(pool.name(), pool.capacity(), kind(state, pool).orElse(null)))
            .toList();
  }

  private static Optional<String> kind(AgentState state, PoolReport pool) {
    return state.pools().kind(pool.name());
  }

  /** Which declarations of pools it was told last; null if it is to be told. */
  public static Long poolsGeneration(AgentState state) {
    return boxed(state.poolBook.generation(state.ledger().inventory().devices()));
  }

  /** How its pools of workers are; null if it has none. */
  public static List<PoolState> pools(AgentState state) {
    List<PoolReport> reports = state.pools().reports();
    return reports.isEmpty() ? null : reports.stream().map(pool -> pool(state, pool)).toList();
  }

  private static PoolState pool(AgentState state, PoolReport pool) {
    int draining = state.pools().draining(pool.name());
    return new PoolState(
        pool.name(),
        pool.status().name(),
        pool.reason(),
        pool.session(),
        pool.capacity(),
        pool.workers(),
        pool.busy(),
        pool.waiting(),
        pool.queued(),
        pool.processed(),
        pool.failed(),
        pool.delivered(),
        pool.crashes(),
        pool.queueMs(),
        pool.runMs(),
        pool.deliveryMs(),
        kind(state, pool).orElse(null),
        draining == 0 ? null : draining);
  }

  private static Long boxed(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : null;
  }

  private static DeviceInfo device(Device device, Condition condition) {
    return new DeviceInfo(
        device.id(),
        device.uuid(),
        device.name(),
        device.memoryTotal(),
        device.computeCapability().orElse(null),
        condition.state().name(),
        condition.reason().isEmpty() ? null : condition.reason());
  }
}
