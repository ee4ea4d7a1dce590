package io.stoker.dispatcher.service.app;

import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.control.ControlAudit;
import io.stoker.dispatcher.coordinator.control.ControlIntake;
import io.stoker.dispatcher.coordinator.control.ControlTransaction;
import io.stoker.dispatcher.coordinator.control.GroupControl;
import io.stoker.dispatcher.coordinator.control.HostControl;
import io.stoker.dispatcher.coordinator.control.PoolControl;
import io.stoker.dispatcher.coordinator.control.RequestControl;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.host.HostService;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.placement.FreedRoom;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** Builds what works on the records of topics. */
@ApplicationScoped
public class IntakeWiring {
  @Produces
  @Singleton
  IntakeTransaction intakeTransaction(
      Store store, Intake intake, Queues queues, ImmediatePlacements placements) {
    return new IntakeTransaction(store, intake, queues, placements);
  }

  @Produces
  @Singleton
  RequestIntake requests(
      Environment environment,
      Store store,
      IntakeTransaction transaction,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      CommitEvents events,
      Topics topics,
      QueueDoor door,
      KindsInForce kinds) {
    return new RequestIntake(
        environment, store, transaction, statuses, deadLetters, events, topics, door, kinds);
  }

  @Produces
  @Singleton
  EventIntake events(
      Environment environment,
      Store store,
      Backoff backoff,
      FreedRoom rooms,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      Refusals refusals,
      CommitEvents events,
      HostKeys keys) {
    return new EventIntake(
        environment,
        new EventsTransaction(store, backoff, rooms),
        statuses,
        deadLetters,
        refusals,
        events,
        keys::sealed);
  }

  @Produces
  @Singleton
  RequestControl requestControl(
      Store store,
      Queues queues,
      IntakeTransaction intake,
      KindsInForce kinds,
      QueueDoor door,
      StatusPublisher statuses,
      CommitEvents events) {
    return new RequestControl(
        new ControlTransaction(store, queues), intake, kinds, door, statuses, events);
  }

  @Produces
  @Singleton
  ControlIntake control(
      Store store,
      RequestControl requests,
      ExperimentLifecycle experiments,
      HostTransactions hosts,
      HostService service,
      AgentTeller agents,
      CommitEvents events,
      DeadLetters deadLetters,
      ControlAudit audit) {
    return new ControlIntake(
        requests,
        new GroupControl(store, experiments),
        new HostControl(hosts, service, events),
        new PoolControl(store, agents),
        deadLetters,
        audit);
  }
}
