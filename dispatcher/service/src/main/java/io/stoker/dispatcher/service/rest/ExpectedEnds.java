package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.service.postgres.MemoryTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Tells until when jobs run. */
@ApplicationScoped
public class ExpectedEnds {
  private final Reads reads;

  ExpectedEnds(Reads reads) {
    this.reads = reads;
  }

  /** Of those of which that can be told, by request. */
  public Uni<Map<String, ExpectedEnd>> of(List<RequestStatus> all) {
    return reads.ask(session -> of(session, all));
  }

  static Uni<Map<String, ExpectedEnd>> of(StatelessSession session, List<RequestStatus> all) {
    List<String> jobs =
        all.stream()
            .filter(one -> one.state() == RequestState.RUNNING)
            .map(RequestStatus::job)
            .distinct()
            .toList();
    return jobs.isEmpty()
        ? Uni.createFrom().item(Map.of())
        : MemoryTable.times(session, jobs).map(times -> of(all, times));
  }

  private static Map<String, ExpectedEnd> of(List<RequestStatus> all, Map<String, Peaks> times) {
    Map<String, ExpectedEnd> ends = new HashMap<>();
    for (RequestStatus one : all) {
      ExpectedEnd.of(one, times.getOrDefault(one.job(), Peaks.NONE))
          .ifPresent(end -> ends.put(one.id(), end));
    }
    return ends;
  }
}
