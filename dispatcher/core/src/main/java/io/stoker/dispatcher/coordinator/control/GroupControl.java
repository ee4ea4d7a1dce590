package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import io.stoker.dispatcher.store.Store;
import java.util.Optional;

/** Has groups created, closed, stopped and limited. */
public record GroupControl(Store store, ExperimentLifecycle experiments) {
  private static final int LONGEST = 128;

  /** Answers what is wrong with the message, if anything is; the same again changes nothing. */
  public Uni<Optional<String>> apply(ControlMessage.Group asked) {
    String name = asked.group();
    if (name == null || name.isEmpty() || name.length() > LONGEST || name.indexOf(0) >= 0) {
      return wrong("group: " + name + ", expected 1 to " + LONGEST + " characters");
    }
    return switch (asked.action() == null ? "" : asked.action()) {
      case "create" ->
          asked.experiment() == null && asked.after() == null && asked.estimates() == null
              ? done(store.transaction("group", tx -> tx.groups().create(name)))
              : create(asked);
      case "close" ->
          done(
              store
                  .transaction("group", tx -> tx.groups().close(name))
                  .chain(() -> experiments.look(name)));
      case "stop" ->
          asked.id() == null || asked.id().isBlank()
              ? wrong("id: missing, expected an id of the message's own")
              : experiments.stop(asked.id(), name);
      case "limit" ->
          asked.retries() == null || asked.retries() < 0
              ? wrong("retries: " + asked.retries() + ", expected 0 or more")
              : done(limit(name, asked.retries()));
      default -> wrong("action: " + asked.action() + ", expected create, close, stop or limit");
    };
  }

  private Uni<Optional<String>> create(ControlMessage.Group asked) {
    if (asked.id() == null || asked.id().isBlank()) {
      return wrong("id: missing, expected an id of the message's own");
    }
    try {
      Plan plan =
          Plan.of(asked.group(), asked.after(), asked.experiment()).expecting(asked.estimates());
      return experiments
          .create(asked.id(), asked.group(), plan, false)
          .map(
              made ->
                  made.isPresent()
                      ? Optional.empty()
                      : Optional.of("after: group " + asked.group() + " would wait for itself"));
    } catch (PlanRefused e) {
      return wrong(e.getMessage());
    }
  }

  private Uni<Integer> limit(String name, long retries) {
    return store.transaction(
        "group", tx -> tx.groups().create(name).chain(() -> tx.budgets().limit(name, retries)));
  }

  private static Uni<Optional<String>> done(Uni<?> work) {
    return work.replaceWith(Optional.empty());
  }

  private static Uni<Optional<String>> wrong(String what) {
    return Uni.createFrom().item(Optional.of(what));
  }
}
