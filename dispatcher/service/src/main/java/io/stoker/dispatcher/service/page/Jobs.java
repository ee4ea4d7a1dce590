package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.service.rest.ListResource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Some requests, newest first.
 *
 * @param more whether there are others
 */
public record Jobs(List<RequestStatus> all, boolean more) {
  /**
   * As {@link ListResource#listed} finds them.
   *
   * @param states with commas, null for all
   * @param host null for all
   */
  static Uni<Jobs> of(ListResource lists, String states, String host, int most) {
    Map<String, List<String>> query = new HashMap<>();
    query.put("limit", List.of(Integer.toString(most)));
    if (states != null) {
      query.put("state", List.of(states));
    }
    if (host != null) {
      query.put("host", List.of(host));
    }
    return lists
        .listed(query)
        .map(
            page ->
                new Jobs(
                    page.requests().stream().map(ListResource.Entry::status).toList(),
                    page.next() != null));
  }
}
