package io.stoker.common.message;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;

/** A message of people to the dispatcher on the control topic; each has an id of its own. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonSubTypes({
  @JsonSubTypes.Type(value = ControlMessage.Cancel.class, name = "cancel"),
  @JsonSubTypes.Type(value = ControlMessage.Retry.class, name = "retry"),
  @JsonSubTypes.Type(value = ControlMessage.Forget.class, name = "forget"),
  @JsonSubTypes.Type(value = ControlMessage.Priority.class, name = "priority"),
  @JsonSubTypes.Type(value = ControlMessage.Finish.class, name = "finish"),
  @JsonSubTypes.Type(value = ControlMessage.Group.class, name = "group"),
  @JsonSubTypes.Type(value = ControlMessage.Cordon.class, name = "cordon"),
  @JsonSubTypes.Type(value = ControlMessage.Drain.class, name = "drain"),
  @JsonSubTypes.Type(value = ControlMessage.Uncordon.class, name = "uncordon"),
  @JsonSubTypes.Type(value = ControlMessage.RotateKey.class, name = "rotate-key"),
  @JsonSubTypes.Type(value = ControlMessage.RevokeKey.class, name = "revoke-key"),
  @JsonSubTypes.Type(value = ControlMessage.Policy.class, name = "policy"),
  @JsonSubTypes.Type(value = ControlMessage.Devices.class, name = "devices"),
  @JsonSubTypes.Type(value = ControlMessage.Pool.class, name = "pool")
})
public sealed interface ControlMessage {
  /** The message's own id; the same one twice is one message. */
  String id();

  /**
   * Ends a request. A request that is not known yet is ended when it arrives.
   *
   * @param request the request's id
   * @param reason for its status, if any
   */
  record Cancel(String id, String request, String reason) implements ControlMessage {}

  /**
   * Posts a request again that has ended otherwise than SUCCEEDED, under a new id: ends are final.
   * The dependencies that it failed of are posted again with it.
   *
   * @param request the request's id
   * @param as the new id; null makes one of the two ids, see {@link
   *     io.stoker.common.request.RetryId}
   */
  record Retry(String id, String request, String as) implements ControlMessage {}

  /**
   * Drops the remembered result of a meaning, so that the next equal request runs. What was
   * answered stays so, and what is live is no remembered result.
   *
   * @param request a request that means it; null if the fingerprint is given
   * @param fingerprint the meaning, 64 hex digits; null if a request is given
   */
  record Forget(String id, String request, String fingerprint) implements ControlMessage {}

  /**
   * Gives a request that has not ended another priority.
   *
   * @param request the request's id
   * @param priority −1000 to 1000, higher first
   */
  record Priority(String id, String request, int priority) implements ControlMessage {}

  /**
   * Says what came of a request of type {@code passive} that a person runs.
   *
   * @param request the request's id
   * @param result any JSON value; its first number is the score. Null for none, and of what failed
   * @param failed why it failed; null if it succeeded
   */
  record Finish(String id, String request, JsonNode result, String failed)
      implements ControlMessage {}

  /**
   * Makes a group known before a request names it, says that no more is to come, or ends all of it:
   * a closed group has ended when all of it has ended, an empty one at once.
   *
   * @param group its name; an experiment whose name is taken gets {@code name (1)}
   * @param action {@code create}, {@code close}, {@code stop} or {@code limit}
   * @param after with {@code create}: the group that has to end before anything of this one starts
   * @param experiment with {@code create}: makes it an experiment
   * @param retries with {@code limit}: so many retries may all its jobs use together
   * @param estimates with {@code create}: what its jobs are expected to take
   */
  record Group(
      String id,
      String group,
      String action,
      String after,
      Experiment experiment,
      Long retries,
      GroupEstimates estimates)
      implements ControlMessage {
    /** Of a group of whose jobs nothing is expected. */
    public Group(
        String id, String group, String action, String after, Experiment experiment, Long retries) {
      this(id, group, action, after, experiment, retries, null);
    }

    /** Of a group that is no experiment and waits for no other. */
    public Group(String id, String group, String action) {
      this(id, group, action, null, null, null, null);
    }
  }

  /** Keeps new placements off a host; what runs goes on. */
  record Cordon(String id, String host, String reason) implements ControlMessage {}

  /**
   * Keeps new placements off a host, and empties it: what runs may end, or is moved to other hosts
   * when time is up, which counts for no failure.
   *
   * @param reason for people, if any
   * @param within how long what runs may go on, such as {@code 10m}; null lets it end
   * @param dead true says that the machine is off for certain: what was on it goes to others at
   *     once, whether or not its agent was heard of. Null otherwise
   */
  record Drain(String id, String host, String reason, String within, Boolean dead)
      implements ControlMessage {}

  /** Lets a host take placements again, and ends its draining. */
  record Uncordon(String id, String host) implements ControlMessage {}

  /**
   * Has a host's next key taken, and the one before it for a while.
   *
   * @param generation of the next key
   * @param overlap how long the key before is taken, such as {@code 1h}
   */
  record RotateKey(String id, String host, Integer generation, String overlap)
      implements ControlMessage {}

  /**
   * Has keys of a host refused from now on.
   *
   * @param generation the last one that is
   */
  record RevokeKey(String id, String host, Integer generation) implements ControlMessage {}

  /**
   * Lets a host choose devices by another policy; kept until it is changed again.
   *
   * @param policy its name; null goes back to the host's own configuration
   * @param parameters the policy's, by name
   */
  record Policy(String id, String host, String policy, Map<String, String> parameters)
      implements ControlMessage {
    /** What no host could choose by, in a sentence that begins with the field; empty if nothing. */
    public Optional<String> flaw() {
      return parameters != null && parameters.containsValue(null)
          ? Optional.of("parameters: %s, expected texts".formatted(parameters))
          : Optional.empty();
    }
  }

  /**
   * Lets a host offer other devices; kept until it is changed again.
   *
   * @param devices a device list; blank offers none, null goes back to the host's configuration
   */
  record Devices(String id, String host, String devices) implements ControlMessage {}

  /**
   * Does something with a pool of workers.
   *
   * @param pool its name
   * @param action {@code reset} begins a session: what the pool has is CANCELLED with the code
   *     POOL_RESET, and it serves on. The others close it: {@code drain} once it has run all that
   *     it has, {@code discard} once it has run what it has begun, {@code abort} at once. {@code
   *     open} opens it again
   */
  record Pool(String id, String host, String pool, String action) implements ControlMessage {}
}
