package io.stoker.agent.attempt;

import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.policy.PolicyChoice;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides what follows from changes of the devices, and of how they are chosen. */
final class DeviceRules {
  private final DecisionContext context;
  private final AgentState state;

  DeviceRules(DecisionContext context) {
    this.context = context;
    this.state = context.state;
  }

  void policy(SetPolicy set) {
    Optional<PolicyChoice> choice =
        Optional.ofNullable(set.policy())
            .map(
                name ->
                    new PolicyChoice(name, set.parameters() == null ? Map.of() : set.parameters()));
    boolean isNew = state.allocator.policyOrder().give(set.id());
    Optional<String> changed =
        state.allocator.use(choice, state.ledger.inventory(), context.now.bootMs());
    changed.ifPresent(this::changed);
    if (isNew && changed.isEmpty()) {
      answered();
    }
  }

  void devices(SetDevices set) {
    Optional<String> list = Optional.ofNullable(set.devices());
    boolean isNew = state.allocator.listOrder().give(set.id());
    if (state.allocator.isToBeFound(list, isNew)) {
      context.effect(new Effect.FindDevices(list));
    } else if (isNew) {
      answered();
    }
  }

  void found(Inventory inventory) {
    if (!inventory.equals(state.ledger.inventory())) {
      state.ledger = state.ledger.offering(inventory);
      changed("this host offers " + inventory.sentence());
    }
    state.allocator.offers(inventory, context.now.bootMs());
  }

  void used(Optional<String> list, Inventory inventory) {
    found(inventory);
    if (state.allocator.listAnswered(list, Optional.empty())) {
      answered();
    }
  }

  void refused(Optional<String> list, String reason) {
    if (state.allocator.listAnswered(list, Optional.of(reason))) {
      changed("the devices stay as they are: " + reason);
    }
  }

  /** A job on a device that has failed cannot be trusted to end by itself. */
  void judged(Map<String, Condition> bad) {
    if (bad.equals(state.conditions)) {
      return;
    }
    state.conditions = Map.copyOf(bad);
    state.ledger = state.ledger.judged(bad);
    for (LiveAttempt attempt : List.copyOf(state.live.values())) {
      for (String id : attempt.allocation().devices()) {
        Condition condition = bad.get(state.ledger.uuid(id));
        if (condition != null && !condition.serves()) {
          String message = "device %s has failed: %s".formatted(id, condition.reason());
          context.kill(attempt, KillReason.DEVICE, message);
        }
      }
    }
    new PoolRules(context).judged(bad);
    changed("devices: " + (bad.isEmpty() ? "all well" : bad.toString()));
  }

  private void changed(String sentence) {
    context.effect(new Effect.Note(sentence));
    answered();
  }

  /** Whoever gave an order sees at once what came of it. */
  private void answered() {
    state.lease.inventoryChanged(context.now.bootMs());
  }
}
