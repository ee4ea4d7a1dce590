package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.store.Hosts;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The table of hosts. */
record SimHosts(SimTransaction tx) implements Hosts {
  @Override
  public Uni<List<HostRow>> all() {
    return statement(
        () -> {
          tx.see();
          return tx.listedHosts().stream().map(this::forgetful).toList();
        });
  }

  private HostRow forgetful(HostRow row) {
    HostRow kept = tx.passHas(Defect.FORGET_CORDONS) ? row.cordon(false, null) : row;
    HostRow able = tx.passHas(Defect.FORGET_UNUSABLE) ? kept.with(usable(kept.resources())) : kept;
    return tx.passHas(Defect.PLACE_UNSETTLED) ? able.settled() : able;
  }

  private static HostResources usable(HostResources said) {
    try {
      ObjectNode tree = (ObjectNode) Json.tree(said);
      return Json.read(tree.without("refuses"), HostResources.class);
    } catch (MalformedJson e) {
      throw new IllegalStateException("resources that are none", e);
    }
  }

  @Override
  public Uni<Map<String, String>> versions() {
    return statement(
        () -> {
          tx.seeRemembered();
          return tx.listedHosts().stream().collect(Collectors.toMap(HostRow::id, this::version));
        });
  }

  @Override
  public Uni<Map<String, HostKey>> keys() {
    return statement(
        () -> {
          tx.see();
          return tx.allHosts().stream().collect(Collectors.toMap(HostRow::id, HostRow::key));
        });
  }

  private String version(HostRow row) {
    return tx.has(Defect.FORGET_HOST_VERSIONS) ? "" : String.valueOf(row.hashCode());
  }

  @Override
  public Uni<List<HostRow>> lock(Collection<String> hosts) {
    return statement(
        () -> new TreeSet<>(hosts).stream().map(tx::lockHost).flatMap(Optional::stream).toList());
  }

  @Override
  public Uni<Void> put(HostRow row, boolean isNew, List<HostEvent> events, long at) {
    return statement(
        () -> {
          tx.write(
              () -> {
                HostRow before = tx.tables().hosts.put(row.id(), row);
                tx.tables().unlisted.remove(row.id());
                if (before != null && before.epoch() < row.epoch()) {
                  tx.world().leftBehind += row.holder().left().size();
                }
              });
          return null;
        });
  }
}
