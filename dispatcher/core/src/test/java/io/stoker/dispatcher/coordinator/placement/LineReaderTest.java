package io.stoker.dispatcher.coordinator.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.SmallStore.only;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.placement.LineReader.LineView;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Part;
import io.stoker.dispatcher.placement.LineRead.Reach;
import io.stoker.dispatcher.placement.Lookback;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Rationed;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.store.Line;
import io.stoker.dispatcher.store.Transaction;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What of one long line passes read. */
class LineReaderTest {
  private static final Shape SLOT = Shape.of(aRequest("r").build().resources());
  private static final LineKey LINE = new LineKey("q", SLOT.text(), "");

  private final List<QueueHead> inLine = new ArrayList<>();
  private final List<Collection<?>> named = new ArrayList<>();
  private boolean gone;
  private long nanos;
  private final Environment environment =
      only(Environment.class, Map.of("rationed", none -> new Rationed(() -> nanos)));
  private final Transaction tx =
      only(
          Transaction.class,
          Map.of("line", none -> only(Line.class, Map.of("read", this::read, "from", this::from))));
  private final LineReader reader =
      new LineReader(environment, 128, new LeftOut(() -> 0), new PlacementListener() {});

  @Test
  void jobsThatFailedOnTheOnlyHostWithRoomKeepNobodyBehindThemOffIt() {
    for (int i = 0; i < 32; i++) {
      inLine.add(head("failed-" + i, new Avoid(Map.of("free", List.of()))));
    }
    inLine.add(head("behind", Avoid.NOTHING));
    List<Host> hosts =
        hosts(aHost("free").cpuSlots(32), aHost("full").cpuSlots(32).reserves(0, 32));

    assertThat(pass(hosts).assignments())
        .extracting(Assignment::job, Assignment::host)
        .containsExactly(tuple("behind", "free"));
  }

  @Test
  void aLineThatHasGoneMeanwhileIsNotReadForEver() {
    for (int i = 0; i < 32; i++) {
      inLine.add(head("a-" + i, Avoid.NOTHING));
    }
    LineView seen = reader.read(tx).await().indefinitely();
    gone = true;

    assertThat(reader.deeper(tx, seen, hosts(aHost("h").cpuSlots(32))).await().indefinitely())
        .isEqualTo(seen);
  }

  @Test
  void whatRoomIsKeptForIsReadAlsoWhereLinesAreReadFromWhereTheyBegin() {
    inLine.add(head("claims", Avoid.NOTHING));
    LineView seen = reader.read(tx).await().indefinitely();
    Reservation claim = new Reservation("claims", "q", List.of("h"), 0);
    Decision decision = new Decision(List.of(), Map.of(), List.of(claim), 0, false);
    reader.decided(seen, List.of(), decision, Set.of(), 0, 0);

    assertThat(reader.read(tx).await().indefinitely().whole()).isTrue();
    assertThat(named.getLast()).isEqualTo(List.of("claims"));
    assertThat(reader.read(tx).await().indefinitely().whole()).as("that takes long").isFalse();
    assertThat(named.getLast()).isEqualTo(List.of("claims"));
  }

  private Decision pass(List<Host> hosts) {
    LineView seen =
        reader.read(tx).chain(read -> reader.deeper(tx, read, hosts)).await().indefinitely();
    return PlacementPass.decide(new Snapshot(hosts, seen.read().heads()), Long.MAX_VALUE);
  }

  private Uni<LineRead> read(Object[] given) {
    nanos += 10_000_000;
    named.add((Collection<?>) given[1]);
    return Uni.createFrom().item(first(Lookback.LEAST));
  }

  private Uni<LineRead> from(Object[] given) {
    Map<?, ?> lines = (Map<?, ?>) given[0];
    named.add((Collection<?>) given[1]);
    return Uni.createFrom()
        .item(gone ? LineRead.NOTHING : first(((Reach) lines.get(LINE)).depth()));
  }

  private LineRead first(int depth) {
    Map<LineKey, Part> lines = new LinkedHashMap<>();
    lines.put(LINE, new Part(inLine.stream().limit(depth).toList(), depth));
    return new LineRead(lines, List.of(), List.of(), Map.of());
  }

  private QueueHead head(String job, Avoid avoid) {
    return new QueueHead(job, "q", SLOT, 0, inLine.size(), avoid, Set.of(), Memory.UNKNOWN);
  }

  private static List<Host> hosts(AHost... all) {
    Map<String, AHost> byId = new LinkedHashMap<>();
    List.of(all).forEach(host -> byId.put(host.row().id(), host));
    return FleetView.hosts(
        byId.values().stream().map(AHost::row).toList(),
        List.of(),
        id -> true,
        id -> Optional.of(byId.get(id).heartbeat()));
  }
}
