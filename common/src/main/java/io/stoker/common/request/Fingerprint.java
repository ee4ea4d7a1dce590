package io.stoker.common.request;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.state.RequestState;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What a request means, as SHA-256 over the canonical JSON of its meaning: the resolved template
 * (command, image, env, params, workdir, stages, workers), what the job can see of its resources
 * ({@link VisibleResources}), and the fingerprints, not the ids, of its dependencies, in order. For
 * one that was to fail, or to end in any way, stands how it ended and what job that was: what says
 * why yesterday's job failed does not answer why today's did. Not meaning: id, what the job cannot
 * see of its resources, queue, priority, group, user, time-outs, retry, labels.
 *
 * <p>Resources were no part of it once. What asks for none that a job sees has the fingerprint that
 * it had then: so the work of then answers it still, and its producers' own fingerprints hold.
 */
public final class Fingerprint {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Fingerprint() {}

  /**
   * The fingerprint of a request.
   *
   * @param dependencies fingerprints of {@code dependsOn}, in its order; {@link #ofEnd} for those
   *     with a condition
   * @param job the id of the job that would run it; it is the whole meaning of {@code dedup:
   *     always}
   * @return 64 hex digits
   */
  public static String of(JobRequest request, List<String> dependencies, String job) {
    ObjectNode meaning = NODES.objectNode();
    switch (request.dedup()) {
      case Dedup.Always always -> {
        return ofJob(job);
      }
      case Dedup.Key own -> meaning.put("key", own.key());
      case Dedup.Share share -> {
        describe(request, dependencies, meaning);
        ObjectNode resources = VisibleResources.of(request).meaning();
        if (!resources.isEmpty()) {
          meaning.set("resources", resources);
        }
      }
    }
    return sha256(CanonicalJson.bytes(meaning));
  }

  /** The fingerprint of a job that is nobody else's. */
  public static String ofJob(String job) {
    return sha256(CanonicalJson.bytes(NODES.objectNode().put("job", job)));
  }

  /**
   * What stands for a dependency with a condition, in place of its fingerprint.
   *
   * @param end how it ended
   * @param job that it was answered by; null if it had none, and then it stands for itself
   */
  public static String ofEnd(Dependency dependency, RequestState end, String job) {
    String what = job == null ? "request " + dependency.id() : "job " + job;
    return dependency.condition().key() + ": " + end + " " + what;
  }

  /**
   * The fingerprint that a request had while resources were no part of it: of what asks for none
   * that its job sees it is {@link #of} still.
   */
  public static String former(JobRequest request, List<String> dependencies) {
    ObjectNode meaning = NODES.objectNode();
    describe(request, dependencies, meaning);
    return sha256(CanonicalJson.bytes(meaning));
  }

  /**
   * A fingerprint that no request of the time had while resources were no part of it: it says them
   * even where there are none that its job sees. Else it is {@link #of}.
   */
  public static String explicit(JobRequest request, List<String> dependencies) {
    ObjectNode meaning = NODES.objectNode();
    describe(request, dependencies, meaning);
    meaning.set("resources", VisibleResources.of(request).meaning());
    return sha256(CanonicalJson.bytes(meaning));
  }

  /** The fingerprint of what only those of a queue share with each other. */
  public static String within(String queue, String fingerprint) {
    return sha256(
        CanonicalJson.bytes(NODES.objectNode().put("queue", queue).put("meaning", fingerprint)));
  }

  private static void describe(JobRequest request, List<String> dependencies, ObjectNode meaning) {
    if (request.workers().isEmpty()) {
      ArrayNode command = meaning.putArray("command");
      request.command().forEach(command::add);
    }
    request.workers().ifPresent(pool -> meaning.put("workers", pool));
    request.params().ifPresent(params -> meaning.set("params", params));
    if (!request.env().isEmpty() || !request.secrets().isEmpty()) {
      ObjectNode env = meaning.putObject("env");
      request.env().forEach(env::put);
      request.secrets().forEach((name, secret) -> env.putObject(name).put("secret", secret));
    }
    request.workdir().ifPresent(workdir -> meaning.put("workdir", workdir));
    request.image().ifPresent(image -> meaning.put("image", image));
    if (request.staged()) {
      ArrayNode stages = meaning.putArray("stages");
      JobRequest.STAGES.forEach(stages::add);
    }
    if (!dependencies.isEmpty()) {
      ArrayNode inputs = meaning.putArray("dependsOn");
      dependencies.forEach(inputs::add);
    }
  }

  /** SHA-256 as 64 hex digits. */
  public static String sha256(byte[] data) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
