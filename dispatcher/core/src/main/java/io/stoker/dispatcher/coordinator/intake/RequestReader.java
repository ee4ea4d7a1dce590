package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.Kinds;
import java.util.List;

/** Reads requests, fills their kinds in, and looks whether the configuration allows them. */
public final class RequestReader {
  private final Topics topics;
  private final QueueAdmission admission;
  private final KindsInForce kinds;

  public RequestReader(Topics topics, QueueAdmission admission, KindsInForce kinds) {
    this.topics = topics;
    this.admission = admission;
    this.kinds = kinds;
  }

  /** Each as it is to be taken; none of them is {@link IncomingRequest.OfKind} any more. */
  Uni<List<IncomingRequest>> read(List<Origin> origins) {
    List<IncomingRequest> read =
        origins.stream().map(origin -> IncomingRequest.read(origin, topics, admission)).toList();
    return read.stream().noneMatch(IncomingRequest.OfKind.class::isInstance)
        ? Uni.createFrom().item(read)
        : kinds.newest().map(inForce -> filled(read, inForce));
  }

  private List<IncomingRequest> filled(List<IncomingRequest> read, Kinds inForce) {
    return read.stream()
        .map(
            one ->
                one instanceof IncomingRequest.OfKind ofKind
                    ? ofKind.filled(inForce, admission)
                    : one)
        .toList();
  }
}
