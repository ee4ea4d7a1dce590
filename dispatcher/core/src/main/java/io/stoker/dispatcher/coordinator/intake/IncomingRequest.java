package io.stoker.dispatcher.coordinator.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.Kinds;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** A record of a requests topic after parsing: a request, or the reason why it is none. */
sealed interface IncomingRequest {
  record Valid(Origin origin, JobRequest request) implements IncomingRequest {}

  /**
   * A request whose kind is to be filled in first.
   *
   * @param ownTopic whether it came by its queue's own topic
   */
  record OfKind(Origin origin, JobRequest request, boolean ownTopic) implements IncomingRequest {
    IncomingRequest filled(Kinds kinds, QueueAdmission admission) {
      try {
        return checked(origin, kinds.fill(request), ownTopic, admission);
      } catch (RequestRefused e) {
        return new Refused(origin, e, Optional.of(request));
      }
    }
  }

  /**
   * No request, or none that the configuration allows.
   *
   * @param read the request, if it is one: it may have been accepted before
   * @param code of its status
   */
  record Refused(Origin origin, RequestRefused why, Optional<JobRequest> read, Code code)
      implements IncomingRequest {
    Refused(Origin origin, RequestRefused why, Optional<JobRequest> read) {
      this(origin, why, read, Code.INVALID_REQUEST);
    }

    /** Why, for people. */
    String reason() {
      return origin.sentence(why.getMessage());
    }
  }

  static IncomingRequest read(Origin origin, Topics topics, QueueAdmission admission) {
    try {
      Optional<String> queue = topics.queueOf(origin.record().topic());
      JobRequest request = RequestParser.parse(origin.text(), origin.eventId(), queue);
      return request.needsKind()
          ? new OfKind(origin, request, queue.isPresent())
          : checked(origin, request, queue.isPresent(), admission);
    } catch (RequestRefused e) {
      return new Refused(origin, e, Optional.empty());
    }
  }

  private static IncomingRequest checked(
      Origin origin, JobRequest request, boolean ownTopic, QueueAdmission admission) {
    String inForce = request.resolved().orElse(request.spec());
    int bytes =
        inForce.length() <= Limits.REQUEST / 3
            ? 0
            : inForce.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Limits.REQUEST) {
      String size = "%d bytes with all that its kind brings".formatted(bytes);
      RequestRefused why =
          new RequestRefused(request.id(), "request", size, "at most %d".formatted(Limits.REQUEST));
      return new Refused(origin, why, Optional.of(request), Code.TOO_LARGE);
    }
    return admission
        .refusal(request, ownTopic)
        .<IncomingRequest>map(why -> new Refused(origin, why, Optional.of(request)))
        .orElseGet(() -> new Valid(origin, request));
  }
}
