package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.deadletter.DeadLetterReader;
import io.stoker.dispatcher.service.deadletter.DeadLetterReader.Letter;
import io.stoker.dispatcher.service.deadletter.DeadLetterReader.Letters;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows records that were set aside because they are wrong. */
@RolesAllowed(Rights.OPERATE)
@Path("/dead-letters")
@Produces(MediaType.APPLICATION_JSON)
public class DeadLettersResource {
  /** Of each partition so many are looked at. */
  private static final int LOOKED_AT = 1_000;

  private static final int MOST = 100;

  private final DeadLetterReader reader;
  private final String requests;

  DeadLettersResource(DeadLetterReader reader, Topics topics) {
    this.reader = reader;
    requests = topics.requests();
  }

  /**
   * One of them.
   *
   * @param request whether it came as a request, and can be posted again
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record DeadLetter(@JsonUnwrapped Letter letter, boolean request) {}

  /**
   * Some of them.
   *
   * @param letters the newest first, at most 100
   * @param more whether more of those that were looked at fit
   * @param older whether there are older ones, which were not looked at
   */
  public record Found(List<DeadLetter> letters, boolean more, boolean older) {}

  @GET
  @Operation(summary = "The newest records that were set aside because they are wrong")
  public Uni<Found> letters(@QueryParam("text") String text, @QueryParam("topic") String topic) {
    return Uni.createFrom()
        .item(() -> reader.newest(LOOKED_AT))
        .runSubscriptionOn(Infrastructure.getDefaultExecutor())
        .onFailure(KafkaException.class)
        .transform(away -> ApiException.unavailable("Kafka cannot be reached; try again"))
        .map(all -> found(all, Optional.ofNullable(text), Optional.ofNullable(topic)));
  }

  private Found found(Letters all, Optional<String> text, Optional<String> topic) {
    List<DeadLetter> fit =
        all.letters().stream()
            .filter(one -> topic.isEmpty() || one.topic().equals(topic.get()))
            .filter(one -> text.isEmpty() || holds(one, text.get()))
            .limit(MOST + 1L)
            .map(one -> new DeadLetter(one, isRequest(one)))
            .toList();
    return new Found(fit.subList(0, Math.min(MOST, fit.size())), fit.size() > MOST, all.older());
  }

  private boolean isRequest(Letter letter) {
    return letter.topic().equals(requests) || letter.topic().startsWith(requests + ".");
  }

  private static boolean holds(Letter letter, String text) {
    return String.join(
            "\n",
            letter.topic(),
            letter.key() == null ? "" : letter.key(),
            letter.reason(),
            letter.value())
        .toLowerCase(Locale.ROOT)
        .contains(text.toLowerCase(Locale.ROOT));
  }
}
