package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.store.Requests;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The table of requests. */
record SimRequests(SimTransaction tx) implements Requests {
  @Override
  public Uni<List<RequestRow>> lock(Collection<String> ids) {
    return statement(() -> tx.lockRequests(ids));
  }

  @Override
  public Uni<List<RequestRow>> lockSharing(Collection<String> jobs) {
    return statement(() -> tx.lockSharing(jobs));
  }

  @Override
  public Uni<Map<String, String>> specs(Collection<String> ids) {
    return statement(
        () ->
            tx.readRequests(ids).stream()
                .filter(row -> !row.isPlaceholder())
                .collect(Collectors.toMap(RequestRow::id, RequestRow::spec)));
  }

  @Override
  public Uni<List<String>> sharing(Collection<String> jobs) {
    return statement(() -> tx.readSharing(jobs).stream().map(RequestRow::id).toList());
  }

  @Override
  public Uni<List<String>> sharedAmong(Collection<String> jobs) {
    return statement(() -> tx.sharedAmong(jobs));
  }

  @Override
  public Uni<List<RequestRow>> readSharing(Collection<String> jobs, int most) {
    return statement(
        () ->
            tx.has(Defect.FORGET_NEEDS)
                ? List.of()
                : tx.readSharing(jobs).stream().limit(most).toList());
  }

  @Override
  public Uni<List<RequestRow>> read(Collection<String> ids) {
    return statement(() -> tx.readRequests(ids));
  }

  @Override
  public Uni<Map<String, Input>> inputs(Collection<String> ids) {
    return statement(
        () -> tx.readRequests(ids).stream().collect(Collectors.toMap(RequestRow::id, this::input)));
  }

  private Input input(RequestRow row) {
    JobRow job = tx.tables().job(row).orElse(null);
    int bytes = job == null || job.result().text() == null ? 0 : job.result().text().length();
    RequestState state = row.isPlaceholder() ? row.ended() : tx.tables().state(row);
    return new Input(row.fingerprint(), row.job(), state, bytes);
  }

  @Override
  public Uni<List<String>> sharers(String job, String after, int limit) {
    return statement(() -> tx.sharers(job, after, limit));
  }
}
