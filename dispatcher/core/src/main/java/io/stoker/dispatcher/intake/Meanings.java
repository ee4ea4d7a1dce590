package io.stoker.dispatcher.intake;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Profile;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The meanings of the requests of a batch that wait for nothing, each computed once. */
public final class Meanings {
  private final Map<JobRequest, Optional<Meaning>> known = new IdentityHashMap<>();
  private final Queues queues;

  public Meanings(Queues queues) {
    this.queues = queues;
  }

  /** As {@link Meaning#of}; nothing yet of a request with dependencies. */
  public Optional<Meaning> of(JobRequest request) {
    if (!request.dependsOn().isEmpty()) {
      return Optional.empty();
    }
    return known.computeIfAbsent(request, one -> Meaning.of(one, List.of(), queues));
  }

  /**
   * Under what the memory of the jobs that a batch starts is most likely known; of a run that is
   * nobody else's nothing can be.
   */
  public List<MemoryKeys> memory(List<JobRequest> batch) {
    List<MemoryKeys> keys = new ArrayList<>();
    for (JobRequest request : batch) {
      Optional<Meaning> meaning = request.workers().isPresent() ? Optional.empty() : of(request);
      if (meaning.isPresent()) {
        String fingerprint = meaning.get().usual();
        keys.add(MemoryKeys.ofHost(fingerprint, request));
        if (request.resources().gpus() > 0) {
          keys.add(new MemoryKeys(fingerprint, Profile.of(request)));
        }
      }
    }
    return keys;
  }

  /** Of all requests of a batch, as far as they are known. */
  public List<Meaning> of(List<JobRequest> batch) {
    return batch.stream().map(this::of).flatMap(Optional::stream).toList();
  }
}
