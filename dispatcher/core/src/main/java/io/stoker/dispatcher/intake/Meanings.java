package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Meaning;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the requests of a batch mean that wait for nothing, each worked out once. */
public final class Meanings {
  private final Map<JobRequest, Optional<Meaning>> known = new IdentityHashMap<>();

  /** As {@link Meaning#of}; nothing yet of a request with dependencies. */
  public Optional<Meaning> of(JobRequest request) {
    if (!request.dependsOn().isEmpty()) {
      return Optional.empty();
    }
    return known.computeIfAbsent(request, one -> Meaning.of(one, List.of()));
  }

  /** Of all requests of a batch, as far as they are known. */
  public List<Meaning> of(List<JobRequest> batch) {
    return batch.stream().map(this::of).flatMap(Optional::stream).toList();
  }
}
