package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Takes what hosts say, in the order of the log. Nothing here waits: the log's end must be read in
 * time, for without that no host may be taken for lost, and no hello is answered.
 */
public final class HostMessages {
  private static final System.Logger LOG = System.getLogger(HostMessages.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Environment environment;
  private final HostDirectory directory;
  private final HostService service;
  private final Leader leader;
  private final CommitEvents commits;
  private final Answering answering;

  public HostMessages(
      Environment environment,
      HostDirectory directory,
      HostService service,
      Leader leader,
      CommitEvents commits) {
    this.environment = environment;
    this.directory = directory;
    this.service = service;
    this.leader = leader;
    this.commits = commits;
    answering = new Answering(environment, PATIENCE);
  }

  /**
   * Takes a genuine message.
   *
   * @param signed whether it is signed with the host's key
   * @param noEffect says of it that it can have none, for a reason of its own
   */
  public void take(
      HostMessage message, boolean signed, Function<Throwable, Uni<? extends Void>> noEffect) {
    switch (message) {
      case Heartbeat heartbeat -> heard(heartbeat, noEffect);
      // Nobody says it again, so whoever hears it takes it; its epoch tells how old it is.
      case Goodbye goodbye -> answer(goodbye, () -> service.goodbye(goodbye, signed), noEffect);
      case Hello hello -> scheduling(hello, () -> service.hello(hello, signed), noEffect);
      case Inventory inventory ->
          scheduling(inventory, () -> service.inventory(inventory, signed), noEffect);
    }
    directory.believed(message.host());
  }

  /**
   * Equal for what an agent says again, of which the newest tells all: its hellos, the inventories
   * of an epoch. Two agents of one name are told apart, so that neither keeps the other from an
   * answer.
   */
  private record Saying(Class<?> type, String journal, String seat, long epoch) {
    static Saying of(HostMessage message) {
      return switch (message) {
        case Hello hello -> new Saying(Hello.class, hello.journal(), hello.seat(), 0);
        case Inventory all -> new Saying(Inventory.class, null, null, all.epoch());
        case Heartbeat beat -> new Saying(Heartbeat.class, null, null, beat.epoch());
        case Goodbye goodbye -> new Saying(Goodbye.class, null, null, goodbye.epoch());
      };
    }
  }

  private void heard(Heartbeat heartbeat, Function<Throwable, Uni<? extends Void>> noEffect) {
    switch (directory.heard(heartbeat)) {
      case FIRST -> commits.capacityChanged();
      case SUPERSEDED ->
          scheduling(heartbeat, () -> service.superseded(heartbeat.host()), noEffect);
      case AGAIN, OLD -> {}
    }
  }

  /**
   * The scheduler answers, an agent says hello until it is welcomed. What is read in arrears may
   * have been answered, and overtaken, long ago.
   */
  private void scheduling(
      HostMessage message,
      Supplier<Uni<Void>> answer,
      Function<Throwable, Uni<? extends Void>> noEffect) {
    if (leader.epoch().isPresent() && directory.holdsEnd()) {
      answer(message, answer, noEffect);
    }
  }

  private void answer(
      HostMessage message,
      Supplier<Uni<Void>> answer,
      Function<Throwable, Uni<? extends Void>> noEffect) {
    Supplier<Uni<Void>> isolated =
        () ->
            answer
                .get()
                .onFailure(error -> environment.fault(error) == Fault.DATA)
                .recoverWithUni(noEffect);
    if (!answering.put(message.host(), Saying.of(message), isolated)) {
      LOG.log(
          Level.WARNING,
          "host %s is not answered, since too many wait for that; it asks again"
              .formatted(message.host()));
    }
  }
}
