package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.service.rest.ListResource;
import java.util.List;
import java.util.Optional;

/**
 * Some requests, newest first.
 *
 * @param more whether there are others
 */
public record Jobs(List<RequestStatus> all, boolean more) {
  /**
   * As {@link ListResource#list} finds them.
   *
   * @param states with commas
   * @param host null for all
   * @param since ISO 8601, null for ever
   */
  static Uni<Jobs> of(ListResource lists, String states, String host, String since, int most) {
    Optional<String> any = Optional.empty();
    return lists
        .list(
            Optional.ofNullable(states),
            any,
            any,
            Optional.ofNullable(host),
            any,
            List.of(),
            any,
            any,
            any,
            Optional.ofNullable(since),
            any,
            Integer.toString(most),
            any,
            any)
        .map(
            page ->
                new Jobs(
                    page.requests().stream().map(ListResource.Entry::status).toList(),
                    page.next() != null));
  }
}
