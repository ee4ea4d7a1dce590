package io.stoker.dispatcher.service.app;

import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.coordinator.agent.AgentSender;
import io.stoker.dispatcher.coordinator.attempt.EventIntake;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.control.ControlAudit;
import io.stoker.dispatcher.coordinator.control.ControlIntake;
import io.stoker.dispatcher.coordinator.control.ControlTransaction;
import io.stoker.dispatcher.coordinator.control.Controls;
import io.stoker.dispatcher.coordinator.control.GroupControl;
import io.stoker.dispatcher.coordinator.control.HostControl;
import io.stoker.dispatcher.coordinator.control.PoolControl;
import io.stoker.dispatcher.coordinator.control.RequestControl;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.coordinator.host.HostReplies;
import io.stoker.dispatcher.coordinator.host.HostSettingsSender;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.intake.KindsInForce;
import io.stoker.dispatcher.coordinator.intake.RejectedStatuses;
import io.stoker.dispatcher.coordinator.intake.RequestIntake;
import io.stoker.dispatcher.coordinator.intake.RequestReader;
import io.stoker.dispatcher.coordinator.intake.RequestRefusals;
import io.stoker.dispatcher.coordinator.placement.FreedCapacity;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.store.Store;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Singleton;

/** Builds what works on the records of topics. */
@ApplicationScoped
public class IntakeWiring {
  @Singleton
  IntakeTransaction intakeTransaction(
      Store store, Intake intake, Queues queues, ImmediatePlacements placements) {
    return new IntakeTransaction(store, intake, queues, placements);
  }

  @Singleton
  RequestRefusals refusals(
      Environment environment,
      Store store,
      IntakeTransaction transaction,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      CommitEvents events,
      CommitFollowUp followUp,
      Topics topics) {
    RejectedStatuses rejected = new RejectedStatuses(environment, transaction, events, statuses);
    return new RequestRefusals(store, rejected, deadLetters, followUp, topics);
  }

  @Singleton
  RequestReader reader(Topics topics, QueueAdmission admission, KindsInForce kinds) {
    return new RequestReader(topics, admission, kinds);
  }

  @Singleton
  RequestIntake requests(
      Environment environment,
      RequestReader reader,
      IntakeTransaction transaction,
      CommitFollowUp followUp,
      RequestRefusals refusals) {
    return new RequestIntake(environment, reader, transaction, followUp, refusals);
  }

  @Singleton
  EventIntake events(
      Environment environment,
      Store store,
      Backoff backoff,
      FreedCapacity rooms,
      CommitFollowUp followUp,
      DeadLetters deadLetters,
      RecentRejections rejections,
      HostKeys keys) {
    return new EventIntake(
        environment,
        new EventsTransaction(store, backoff, rooms),
        followUp,
        deadLetters,
        rejections,
        keys::sealed);
  }

  @Singleton
  RequestControl requestControl(
      Store store,
      Queues queues,
      IntakeTransaction intake,
      KindsInForce kinds,
      QueueAdmission admission,
      CommitFollowUp followUp) {
    return new RequestControl(
        new ControlTransaction(store, queues), intake, kinds, admission, followUp);
  }

  @Singleton
  ControlIntake control(
      Environment environment,
      Store store,
      RequestControl requests,
      ExperimentLifecycle experiments,
      HostTransactions hosts,
      HostReplies replies,
      AgentSender agents,
      CommitEvents events,
      DeadLetters deadLetters,
      ControlAudit audit) {
    return new ControlIntake(
        new Controls(
            requests,
            new GroupControl(store, experiments),
            new HostControl(hosts, new HostSettingsSender(environment, hosts, replies), events),
            new PoolControl(store, agents)),
        deadLetters,
        audit);
  }
}
