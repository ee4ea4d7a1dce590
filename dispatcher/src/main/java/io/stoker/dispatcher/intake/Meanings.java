package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Binding;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the requests of a batch mean that wait for nothing, each worked out once. */
public final class Meanings {
  private final Map<JobRequest, Optional<String>> known = new IdentityHashMap<>();

  /** As {@link Binding#fingerprint}; nothing yet of a request with dependencies. */
  public Optional<String> of(JobRequest request) {
    if (!request.dependsOn().isEmpty()) {
      return Optional.empty();
    }
    return known.computeIfAbsent(request, one -> Binding.fingerprint(one, List.of()));
  }
}
