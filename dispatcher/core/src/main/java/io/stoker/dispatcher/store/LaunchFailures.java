package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.LaunchFailure;
import java.util.List;
import java.util.Map;

/** Jobs that could not be started on a host, since something was started there. */
public interface LaunchFailures {
  Uni<List<LaunchFailure>> all();

  /**
   * Forgets what does not count any more.
   *
   * @param started by host, when something was started there
   * @param before what is older
   */
  Uni<Void> forget(Map<String, Long> started, long before);
}
