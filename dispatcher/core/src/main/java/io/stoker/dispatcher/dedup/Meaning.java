package io.stoker.dispatcher.dedup;

import io.stoker.common.request.Dedup;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.VisibleResources;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The meaning of a request, which it shares with its equals, and the fingerprints under which they
 * may be found.
 *
 * <p>While resources were no part of the meaning, one fingerprint stood for requests of any: a job
 * of then, or of a replica of then, answers only who asks for what it was given. Who asks for
 * nothing that a job sees has his former fingerprint still, and takes another one where a job has
 * it that was given something.
 */
public final class Meaning {
  private final JobRequest request;
  private final List<String> dependencies;
  private final boolean isolated;
  private final String own;
  private String former;
  private String explicit;

  private Meaning(JobRequest request, List<String> dependencies, boolean isolated) {
    this.request = request;
    this.dependencies = dependencies;
    this.isolated = isolated;
    own = scoped(Fingerprint.of(request, dependencies, ""));
  }

  /**
   * The meaning of a request; nothing if the run is nobody else's, which then means its job.
   *
   * @param dependencies the fingerprints of its dependencies, in order
   * @param queues of which some share with nobody else
   */
  public static Optional<Meaning> of(JobRequest request, List<String> dependencies, Queues queues) {
    return request.dedup() instanceof Dedup.Always
        ? Optional.empty()
        : Optional.of(new Meaning(request, dependencies, queues.of(request.queue()).isolated()));
  }

  /** In a queue that shares with nobody, the queue is part of it. */
  private String scoped(String fingerprint) {
    return isolated ? Fingerprint.within(request.queue(), fingerprint) : fingerprint;
  }

  /** What a unit of work has to hold the jobs of before it is asked. */
  public static List<String> lookups(Collection<Meaning> meanings) {
    return meanings.stream()
        .flatMap(meaning -> List.of(meaning.own, meaning.former()).stream())
        .distinct()
        .toList();
  }

  /** What it has to hold beside, by what was found of the {@link #lookups}: seldom anything. */
  public static List<String> further(UnitOfWork unit, Collection<Meaning> meanings) {
    return meanings.stream()
        .filter(meaning -> !meaning.answeredUnder(unit, meaning.own))
        .map(Meaning::explicit)
        .distinct()
        .toList();
  }

  /** The fingerprint that it runs under unless another one's job has it. */
  public String usual() {
    return own;
  }

  /** The fingerprint under which it is answered, or else runs. */
  public String inForce(UnitOfWork unit) {
    if (!answeredUnder(unit, own)) {
      return explicit();
    }
    boolean foundBefore =
        unit.holder(own).isEmpty()
            && unit.holder(former()).isPresent()
            && answeredUnder(unit, former());
    return foundBefore ? former() : own;
  }

  /** All fingerprints under which its equals may be found. */
  public List<String> all() {
    return List.of(own, former(), explicit()).stream().distinct().toList();
  }

  /** Whether a job that has one of its fingerprints is its equal. */
  public boolean answeredBy(JobRow job) {
    return answers(job, request);
  }

  /** Whether a job answers a request that has its fingerprint, as far as its resources tell. */
  public static boolean answers(JobRow job, JobRequest request) {
    return !(request.dedup() instanceof Dedup.Share)
        || Shape.visible(job.asked().shape())
            .filter(VisibleResources.of(request)::equals)
            .isPresent();
  }

  /** Whether all that live or have succeeded under a fingerprint are its equals. */
  private boolean answeredUnder(UnitOfWork unit, String fingerprint) {
    return unit.holder(fingerprint).stream().allMatch(this::answeredBy)
        && unit.successor(fingerprint).stream().allMatch(this::answeredBy);
  }

  private String former() {
    if (former == null) {
      boolean same =
          !(request.dedup() instanceof Dedup.Share) || VisibleResources.of(request).isDefault();
      former = same ? own : scoped(Fingerprint.former(request, dependencies));
    }
    return former;
  }

  private String explicit() {
    if (explicit == null) {
      explicit =
          request.dedup() instanceof Dedup.Share
              ? scoped(Fingerprint.explicit(request, dependencies))
              : own;
    }
    return explicit;
  }
}
