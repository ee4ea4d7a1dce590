package io.stoker.agent.attempt;

import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceLedger;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.policy.AskedFor;
import io.stoker.agent.policy.DevicePolicy;
import io.stoker.agent.policy.JobView;
import io.stoker.agent.policy.Policies;
import io.stoker.agent.policy.PolicyChoice;
import io.stoker.agent.policy.PolicyException;
import io.stoker.common.message.HostMessage.SettingAnswer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Allocates devices by the policy in force, and keeps what the policy has to know. What a policy
 * remembers is soft: after a restart it begins anew.
 */
public final class DeviceAllocator {
  private final Policies policies;
  private final PolicyChoice configured;
  private final Set<String> processes = new LinkedHashSet<>();
  private PolicyChoice inForce;
  private DevicePolicy policy;
  private final Order policyOrder = new Order();
  private final Order listOrder = new Order();

  /** The device list that was asked for; empty = the configured one. */
  private Optional<String> list;

  /** Whether it is being looked for. */
  private boolean finding;

  /**
   * @param configured what the host begins with
   * @param list the device list that an earlier start was told, if any
   * @throws PolicyException if there is no such policy
   */
  public DeviceAllocator(Policies policies, PolicyChoice configured, Optional<String> list) {
    this.policies = policies;
    this.configured = configured;
    this.list = list;
    inForce = configured;
    policy = policies.create(configured);
  }

  /** To look for them takes as long as a journal is read. */
  private static final class OnClassPath {
    static final Policies ALL = Policies.load();
  }

  /** First fit. */
  public static DeviceAllocator standard() {
    return new DeviceAllocator(OnClassPath.ALL, PolicyChoice.DEFAULT, Optional.empty());
  }

  /** Name of the policy in force. */
  public String policyName() {
    return inForce.name();
  }

  /** Bytes that a shared job is counted with which does not say what it takes, if it can share. */
  public OptionalLong assumed(Inventory inventory) {
    return policy.assumed(inventory.largestMemory());
  }

  /**
   * What is wrong with what it was told, if anything is. A refused policy changes nothing, so it is
   * of no more account once whoever asked for it is answered.
   */
  public Optional<String> problem() {
    List<String> problems =
        Stream.of(policyOrder.problemForAll(), listOrder.problem())
            .flatMap(Optional::stream)
            .toList();
    return problems.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", problems));
  }

  /** What came of the newest orders. */
  public List<SettingAnswer> answers() {
    return Stream.concat(
            policyOrder.answer("policy").stream(), listOrder.answer("devices").stream())
        .toList();
  }

  /** To choose by a policy. */
  Order policyOrder() {
    return policyOrder;
  }

  /** To offer the devices of a list. */
  Order listOrder() {
    return listOrder;
  }

  /**
   * Changes the policy; what cannot be used changes nothing and is a problem.
   *
   * @param asked empty = the configured one
   * @return a sentence about it; nothing if it is in force already
   */
  Optional<String> use(Optional<PolicyChoice> asked, Inventory inventory, long nowMs) {
    PolicyChoice choice = asked.orElse(configured);
    if (choice.equals(inForce)) {
      policyOrder.done(Optional.empty());
      return Optional.empty();
    }
    try {
      policy = policies.create(choice);
      policyOrder.done(Optional.empty());
    } catch (PolicyException e) {
      policyOrder.done(Optional.of(e.getMessage()));
      return Optional.of("policy %s stays in force: %s".formatted(inForce.name(), e.getMessage()));
    }
    inForce = choice;
    offers(inventory, nowMs);
    processes.forEach(policy::addProcess);
    return Optional.of(
        "devices are chosen by policy %s %s".formatted(choice.name(), choice.parameters()));
  }

  /**
   * Whether the devices of a list are to be looked for: it is another one than before, or could not
   * be used then and is asked for again. If not, and nobody is looking, the order is done.
   *
   * @param isNew whether it was asked for again
   */
  boolean isToBeFound(Optional<String> asked, boolean isNew) {
    boolean other = !asked.equals(list);
    list = asked;
    if (other || (isNew && !finding && listOrder.problem().isPresent())) {
      finding = true;
      return true;
    }
    if (isNew && !finding) {
      listOrder.done(Optional.empty());
    }
    return false;
  }

  /**
   * Somebody has looked for the devices of a list.
   *
   * @param problem why it cannot be used, if so
   * @return whether that is the one asked for last
   */
  boolean listAnswered(Optional<String> asked, Optional<String> problem) {
    if (!asked.equals(list)) {
      return false;
    }
    finding = false;
    listOrder.done(problem);
    return true;
  }

  /** The host offers these from now on. */
  void offers(Inventory inventory, long nowMs) {
    policy.devices(inventory.devices().stream().map(Device::id).toList(), nowMs);
  }

  /**
   * Decides on a demand, and tells the policy of what it gave.
   *
   * @param job that it is for, as the policy is to see it
   */
  Decision choose(DeviceLedger ledger, String holder, Demand demand, JobView job, long nowMs) {
    Decision decision = ledger.allocate(holder, demand, new AskedFor(policy, job), nowMs);
    if (decision instanceof Decision.Granted granted && !granted.allocation().devices().isEmpty()) {
      policy.granted(granted.allocation().devices(), nowMs);
    }
    return decision;
  }

  void processStarted(String process) {
    if (processes.add(process)) {
      policy.addProcess(process);
    }
  }

  void processEnded(String process) {
    processes.remove(process);
    policy.removeProcess(process);
  }
}
