package io.stoker.agent.attempt;

import io.stoker.agent.device.Decision;
import io.stoker.agent.device.Demand;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.DeviceBooks;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.policy.DevicePolicy;
import io.stoker.agent.policy.Policies;
import io.stoker.agent.policy.PolicyChoice;
import io.stoker.agent.policy.PolicyException;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Where devices are given out: keeps the policy in force, and what it has to know. What a policy
 * remembers is soft: after a restart it begins anew.
 */
public final class DeviceDesk {
  private final Policies policies;
  private final PolicyChoice configured;
  private final Set<String> processes = new LinkedHashSet<>();
  private PolicyChoice inForce;
  private DevicePolicy policy;
  private Optional<String> problem = Optional.empty();

  /** The device list that was asked for; empty = the configured one. */
  private Optional<String> list = Optional.empty();

  /**
   * @param configured what the host begins with
   * @param list the device list that an earlier start was told, if any
   * @throws PolicyException if there is no such policy
   */
  public DeviceDesk(Policies policies, PolicyChoice configured, Optional<String> list) {
    this.policies = policies;
    this.configured = configured;
    this.list = list;
    inForce = configured;
    policy = policies.create(configured);
  }

  /** First fit. */
  public static DeviceDesk standard() {
    return new DeviceDesk(Policies.load(), PolicyChoice.DEFAULT, Optional.empty());
  }

  /** Name of the policy in force. */
  public String policyName() {
    return inForce.name();
  }

  /** Bytes that a shared job is counted with which does not say what it takes, if it can share. */
  public OptionalLong assumed(Inventory inventory) {
    return policy.assumed(inventory.largestMemory());
  }

  /** Why it could not do as it was told last, if so. */
  public Optional<String> problem() {
    return problem;
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
      problem = Optional.empty();
      return Optional.empty();
    }
    try {
      policy = policies.create(choice);
      problem = Optional.empty();
    } catch (PolicyException e) {
      problem = Optional.of(e.getMessage());
      return Optional.of("policy %s stays in force: %s".formatted(inForce.name(), e.getMessage()));
    }
    inForce = choice;
    offers(inventory, nowMs);
    processes.forEach(policy::addProcess);
    return Optional.of(
        "devices are chosen by policy %s %s".formatted(choice.name(), choice.parameters()));
  }

  /** Whether a device list is another than what was asked for last. */
  boolean isNewList(Optional<String> asked) {
    boolean isNew = !asked.equals(list);
    list = asked;
    return isNew;
  }

  /** The list could not be used. */
  void listRefused(String reason) {
    problem = Optional.of(reason);
  }

  /** The host offers these from now on. */
  void offers(Inventory inventory, long nowMs) {
    policy.devices(inventory.devices().stream().map(Device::id).toList(), nowMs);
  }

  /** Decides on a demand, and tells the policy of what it gave. */
  Decision choose(DeviceBooks books, String holder, Demand demand, long nowMs) {
    Decision decision = books.allocate(holder, demand, policy, nowMs);
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
