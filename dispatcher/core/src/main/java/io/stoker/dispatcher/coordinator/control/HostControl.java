package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.size.Durations;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.host.HostSettingsSender;
import io.stoker.dispatcher.coordinator.host.HostTransactions;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.HostSettings;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/**
 * Carries out control messages about hosts. Each method answers what is wrong with the message, if
 * anything is.
 */
public final class HostControl {
  private final HostTransactions hosts;
  private final HostSettingsSender settings;
  private final CommitEvents commits;

  public HostControl(HostTransactions hosts, HostSettingsSender settings, CommitEvents commits) {
    this.hosts = hosts;
    this.settings = settings;
    this.commits = commits;
  }

  Uni<Optional<String>> policy(ControlMessage.Policy policy) {
    Optional<String> flaw = policy.flaw();
    return flaw.isPresent()
        ? wrong(flaw.get())
        : tell(
            policy.host(),
            settings -> settings.withPolicy(policy.policy(), policy.parameters(), id(policy)));
  }

  Uni<Optional<String>> devices(ControlMessage.Devices devices) {
    return tell(devices.host(), settings -> settings.withDevices(devices.devices(), id(devices)));
  }

  private static String id(ControlMessage message) {
    return message.id() == null || message.id().isBlank() ? null : message.id();
  }

  private Uni<Optional<String>> tell(String host, UnaryOperator<HostSettings> change) {
    return host == null
        ? missing()
        : settings.tell(host, change).map(known -> known ? Optional.empty() : unknown(host));
  }

  /**
   * As asked.
   *
   * @param sentBy who asks, where a dispatcher vouches for that; it is shown with the reason
   */
  Uni<Optional<String>> cordon(ControlMessage.Cordon asked, Optional<String> sentBy) {
    return change(
        asked, asked.host(), (unit, row) -> row.cordon(true, signed(row, asked.reason(), sentBy)));
  }

  Uni<Optional<String>> uncordon(ControlMessage.Uncordon asked) {
    return change(asked, asked.host(), (unit, row) -> row.cordon(false, null));
  }

  /** Whose reason it is: {@code by ann: broken fan}. */
  static String signed(HostRow row, String reason, Optional<String> sentBy) {
    boolean silent = reason == null || reason.isBlank();
    if (sentBy.isEmpty() || silent && row.cordoned()) {
      return reason;
    }
    return "by " + sentBy.get() + (silent ? "" : ": " + reason);
  }

  /** As {@link #cordon}. The deadline counts from here, on the database's clock. */
  Uni<Optional<String>> drain(ControlMessage.Drain asked, Optional<String> sentBy) {
    Long within;
    try {
      within = asked.within() == null ? null : Durations.parse(asked.within()).toMillis();
    } catch (IllegalArgumentException e) {
      return wrong("within: " + asked.within() + ", expected " + Durations.EXPECTED);
    }
    return isReadAgain(asked)
        .chain(
            readAgain ->
                change(
                    asked,
                    asked.host(),
                    (unit, row) -> {
                      Long deadline = within == null ? null : Long.valueOf(unit.now() + within);
                      return row.drained(
                          signed(row, asked.reason(), sentBy),
                          new HostRow.Drain(deadline, dead(row, asked.dead(), readAgain)));
                    }));
  }

  /** Whether it may be one of before a restore, of those after which a host may have come back. */
  private Uni<Boolean> isReadAgain(ControlMessage.Drain asked) {
    return Boolean.TRUE.equals(asked.dead()) ? hosts.restoring() : Uni.createFrom().item(false);
  }

  /**
   * Whether nothing runs there any more. Whoever said so between backup and restore may have said
   * it before the host said hello, which is not read again: it is to be said once more.
   */
  static Boolean dead(HostRow row, Boolean said, boolean readAgain) {
    boolean heardSince = row.unsettled() && row.restored().grantedSince();
    return readAgain && heardSince ? null : said;
  }

  /** The overlap counts from here, on the database's clock. */
  Uni<Optional<String>> rotateKey(ControlMessage.RotateKey asked) {
    if (asked.generation() == null || asked.overlap() == null) {
      return wrong(
          "generation, overlap: expected that of the next key, and how long both are taken");
    }
    long overlap;
    try {
      overlap = Durations.parse(asked.overlap()).toMillis();
    } catch (IllegalArgumentException e) {
      return wrong("overlap: " + asked.overlap() + ", expected " + Durations.EXPECTED);
    }
    return change(
        asked,
        asked.host(),
        (unit, row) -> row.with(row.key().rotated(asked.generation(), unit.now() + overlap)));
  }

  Uni<Optional<String>> revokeKey(ControlMessage.RevokeKey asked) {
    return asked.generation() == null
        ? wrong("generation: missing, expected the last one to be refused")
        : change(
            asked, asked.host(), (unit, row) -> row.with(row.key().revoked(asked.generation())));
  }

  private Uni<Optional<String>> change(
      ControlMessage message, String host, BiFunction<UnitOfWork, HostRow, HostRow> change) {
    if (host == null) {
      return missing();
    }
    if (message.id() == null || message.id().isBlank()) {
      return wrong("id: missing, expected an id of the message's own");
    }
    return hosts
        .updateOnce(message.id(), host, change)
        .map(done -> done.isPresent() ? Optional.<String>empty() : unknown(host))
        .invoke(commits::capacityChanged);
  }

  private static Optional<String> unknown(String host) {
    return Optional.of("host: " + host + " is not known");
  }

  private static Uni<Optional<String>> missing() {
    return wrong("host: missing");
  }

  private static Uni<Optional<String>> wrong(String what) {
    return Uni.createFrom().item(Optional.of(what));
  }
}
