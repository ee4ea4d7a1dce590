package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.service.config.Strangers;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.rest.HostsResource.Fleet;
import io.stoker.dispatcher.service.rest.HostsResource.Ignored;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** Reads what is shown of hosts: their rows, and what this replica has heard of them. */
@ApplicationScoped
public class HostViews {
  private final Reads reads;
  private final HostDirectory directory;
  private final SuspectBook suspects;
  private final Strangers strangers;

  HostViews(Reads reads, HostDirectory directory, SuspectBook suspects, Strangers strangers) {
    this.reads = reads;
    this.directory = directory;
    this.suspects = suspects;
    this.strangers = strangers;
  }

  Uni<Fleet> fleet() {
    return reads
        .ask(
            session ->
                Uni.combine()
                    .all()
                    .unis(
                        new HostTable(session).all(),
                        new AttemptTable(session).all(),
                        FleetTable.reserved(session),
                        Database.now(session))
                    .with(
                        (rows, open, reserved, now) ->
                            HostView.of(rows, open, reserved, directory, suspects, now)))
        .map(hosts -> new Fleet(hosts, ignored()));
  }

  private List<Ignored> ignored() {
    return strangers.ignored().entrySet().stream()
        .map(one -> new Ignored(one.getKey(), one.getValue()))
        .toList();
  }
}
