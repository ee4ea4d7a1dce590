package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.FailureCategory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A valid request with its defaults filled in.
 *
 * @param id the producer's, within its tenant
 * @param kind the configured template that it fills in, {@link #COMMAND} for none
 * @param command program and arguments; empty until the kind that brings them is filled in, and
 *     where workers run it
 * @param params the job's parameters as given, any JSON object
 * @param env additional environment variables
 * @param secrets more of them by name: the secret, known to the host alone, that is its value
 * @param workdir work folder on the host, a scratch folder if absent
 * @param image the container image that it runs in, where its runner takes one
 * @param staged whether it is one process that loads and trains when it is told to
 * @param workers the pool of warm workers that runs it, if one does
 * @param dependencies what it waits for, in order, no request twice
 * @param queue the queue it waits in
 * @param priority −1000 to 1000, higher first
 * @param group requests reported on together
 * @param user whose it is
 * @param timeout longest run of an attempt
 * @param queueTimeout longest wait in the queue
 * @param dependencyTimeout longest wait for a dependency that was never posted
 * @param retries retries by failure category, where the request says so
 * @param requiresResult whether success needs a result
 * @param resultLabels names of a result's numbers after the first
 * @param labels for people; no meaning to Stoker
 * @param spec the request as posted, as canonical JSON, its own nulls left out; equal content gives
 *     equal text
 * @param resolved what is in force where that differs from the {@code spec}: its kind filled in, or
 *     a change that people asked for; canonical JSON
 */
public record JobRequest(
    String id,
    String kind,
    List<String> command,
    Optional<JsonNode> params,
    Map<String, String> env,
    Map<String, String> secrets,
    Optional<String> workdir,
    Optional<String> image,
    boolean staged,
    Optional<String> workers,
    Resources resources,
    List<Dependency> dependencies,
    String queue,
    int priority,
    Optional<String> group,
    Optional<String> user,
    Optional<Duration> timeout,
    Optional<Duration> queueTimeout,
    Duration dependencyTimeout,
    Map<FailureCategory, Integer> retries,
    Dedup dedup,
    boolean preemptible,
    boolean requiresResult,
    List<String> resultLabels,
    Map<String, String> labels,
    String spec,
    Optional<String> resolved) {
  /** The kind of a request that says itself what to run. */
  public static final String COMMAND = "command";

  /** The stages of a staged job, in order: there are no others yet. */
  public static final List<String> STAGES = List.of("load", "train");

  /** {@code resultLabels} of a request, or of its group. */
  public static final int MAX_RESULT_LABELS = 100;

  /** Characters of one. */
  public static final int MAX_RESULT_LABEL = 128;

  public static final String DEFAULT_QUEUE = "default";
  public static final Duration DEFAULT_DEPENDENCY_TIMEOUT = Duration.ofHours(24);

  /** The ids of the requests that it waits for, in order. */
  public List<String> dependsOn() {
    return dependencies.isEmpty() ? List.of() : dependencies.stream().map(Dependency::id).toList();
  }

  /** Whether its kind is still to be filled in. */
  public boolean needsKind() {
    return command.isEmpty() && workers.isEmpty();
  }
}
