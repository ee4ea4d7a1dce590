package io.stoker.cli.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.input.Submission;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.rest.RestClient.Answer;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.state.RequestState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Asks a dispatcher about requests. */
public record Requests(RestClient rest) {
  private static final int PAGE = 500;

  /** So many are posted at once, at most. */
  private static final int MANY = 200;

  /**
   * Which requests are listed.
   *
   * @param parameters as the dispatcher names them, each of which narrows it
   * @param most how many at most
   */
  public record Filter(List<Map.Entry<String, String>> parameters, int most) {
    public Filter {
      parameters = List.copyOf(parameters);
    }

    /** All of them. */
    public static Filter all(int most) {
      return new Filter(List.of(), most);
    }

    public static Filter ofGroup(String group) {
      return all(Integer.MAX_VALUE).with("group", group);
    }

    /** Narrowed further; null does not narrow it. */
    public Filter with(String name, Object value) {
      if (value == null) {
        return this;
      }
      List<Map.Entry<String, String>> more = new ArrayList<>(parameters);
      more.add(Map.entry(name, value.toString()));
      return new Filter(more, most);
    }

    /** Only those that stand in one of these states, if any is given. */
    public Filter in(Collection<RequestState> states) {
      return states.isEmpty()
          ? this
          : with("state", states.stream().map(Enum::name).collect(Collectors.joining(",")));
    }
  }

  /**
   * Requests, as they were answered.
   *
   * @param requests newest first
   * @param more whether there are others that were not asked for
   */
  public record Listed(List<JsonNode> requests, boolean more) {}

  /** Whether they fit into one post, which answers sooner than a Kafka producer starts. */
  public static boolean fitOnePost(List<Submission> requests) {
    long bytes = 1 + requests.stream().mapToLong(one -> one.body().length + 1).sum();
    return requests.size() <= MANY && bytes <= Limits.BODY;
  }

  /**
   * Posts requests that {@linkplain #fitOnePost fit one post}, all of them or none.
   *
   * @throws CliException with exit code 2 if one is refused
   */
  public void post(List<Submission> requests) {
    String body =
        requests.stream()
            .map(request -> new String(request.body(), StandardCharsets.UTF_8))
            .collect(Collectors.joining(",", "[", "]"));
    Answer answer = rest.post("/requests", body.getBytes(StandardCharsets.UTF_8));
    if (answer.status() != 202) {
      throw rest.unexpected("posting requests", answer);
    }
  }

  /** A request's status; empty if nobody knows it. */
  public Optional<RequestStatus> find(String id) {
    return tree(id).map(Requests::status);
  }

  /** As {@link #find}, as it was answered. */
  public Optional<JsonNode> tree(String id) {
    Answer answer = rest.get("/requests/" + RestClient.encoded(id));
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("asking for " + id, answer);
    };
  }

  /**
   * Asks for a request's end; it has ended when its status says so.
   *
   * @param reason for its status, null for none
   * @return whether the id is known
   * @throws CliException with exit code 2 if the reason is refused
   */
  public boolean cancel(String id, String reason) {
    String why = reason == null ? "" : "?reason=" + RestClient.encoded(reason);
    Answer answer = rest.delete("/requests/" + RestClient.encoded(id) + why);
    return switch (answer.status()) {
      case 200, 202, 204 -> true;
      case 404 -> false;
      default -> throw rest.unexpected("cancelling " + id, answer);
    };
  }

  /**
   * Posts a request again that did not succeed.
   *
   * @param as the new id; null has one made
   * @return the new id; empty if the request is not known
   */
  public Optional<String> retry(String id, String as) {
    ObjectNode asked = JsonNodeFactory.instance.objectNode();
    if (as != null) {
      asked.put("as", as);
    }
    Answer answer = change(id, "/retry", Json.bytes(asked));
    return answer.status() == 404
        ? Optional.empty()
        : Optional.of(answer.body().path("id").asText());
  }

  /** Drops the remembered result of what a request means. Returns whether the id is known. */
  public boolean forget(String id) {
    return change(id, "/forget", new byte[0]).status() != 404;
  }

  /** Drops the remembered result of a meaning. Returns whether there is one. */
  public boolean forgetFingerprint(String fingerprint) {
    Answer answer = rest.delete("/results/" + RestClient.encoded(fingerprint));
    return accepted("forgetting " + fingerprint, answer).status() != 404;
  }

  /** Gives a request another priority. Returns whether the id is known. */
  public boolean prioritise(String id, int priority) {
    byte[] body = Json.bytes(JsonNodeFactory.instance.objectNode().put("priority", priority));
    return change(id, "/priority", body).status() != 404;
  }

  private Answer change(String id, String what, byte[] body) {
    Answer answer = rest.post("/requests/" + RestClient.encoded(id) + what, body);
    return accepted("changing " + id, answer);
  }

  private Answer accepted(String what, Answer answer) {
    return switch (answer.status()) {
      case 202, 404 -> answer;
      default -> throw rest.unexpected(what, answer);
    };
  }

  /** Why a request is where it is, as it was answered; empty if nobody knows it. */
  public Optional<JsonNode> explain(String id) {
    Answer answer = rest.get("/explain/" + RestClient.encoded(id));
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("explaining " + id, answer);
    };
  }

  /** All that is known of a request, as it was answered; empty if nobody knows it. */
  public Optional<JsonNode> details(String id) {
    Answer answer = rest.get("/requests/" + RestClient.encoded(id) + "/details");
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("asking for " + id, answer);
    };
  }

  /**
   * Reads the output of a request's job.
   *
   * @param follow until its end
   * @param rank of the one member of a gang whose output it is; empty for all
   * @return whether the id is known
   * @throws CliException with exit code 2 if no member has that rank
   */
  public boolean logs(
      String id, boolean follow, Optional<Integer> rank, Consumer<LogChunk> reader) {
    String path =
        "/requests/%s/logs?json=true&follow=%s%s"
            .formatted(RestClient.encoded(id), follow, rank.map(one -> "&rank=" + one).orElse(""));
    return rest.lines(path, line -> reader.accept(chunk(line)));
  }

  private static LogChunk chunk(String line) {
    try {
      return Json.read(line.getBytes(StandardCharsets.UTF_8), LogChunk.class);
    } catch (MalformedJson e) {
      throw CliException.unreachable("the dispatcher answered with no piece of a log: " + line, e);
    }
  }

  /** What a request's job has said of its result, as it was answered; empty if it is unknown. */
  public Optional<List<JsonNode>> results(String id) {
    Answer answer = rest.get("/requests/" + RestClient.encoded(id) + "/results");
    return switch (answer.status()) {
      case 200 -> Optional.of(answer.body().path("results").valueStream().toList());
      case 404 -> Optional.empty();
      default -> throw rest.unexpected("asking for results of " + id, answer);
    };
  }

  /** Requests in the order in which the dispatcher lists them. */
  public Listed list(Filter filter) {
    List<JsonNode> all = new ArrayList<>();
    Optional<String> after = Optional.empty();
    do {
      Answer answer = rest.get("/requests?" + query(filter, after, filter.most() - all.size()));
      if (answer.status() != 200) {
        throw rest.unexpected("listing requests", answer);
      }
      answer.body().path("requests").forEach(all::add);
      after = Optional.ofNullable(answer.body().path("next").textValue());
    } while (after.isPresent() && all.size() < filter.most());
    return new Listed(all, after.isPresent());
  }

  /** A status from its tree. */
  public static RequestStatus status(JsonNode tree) {
    try {
      return Json.read(tree, RequestStatus.class);
    } catch (MalformedJson e) {
      throw CliException.unreachable("the dispatcher answered with no status: " + tree, e);
    }
  }

  private static String query(Filter filter, Optional<String> after, int left) {
    List<Map.Entry<String, String>> parameters = new ArrayList<>(filter.parameters());
    after.ifPresent(id -> parameters.add(Map.entry("after", id)));
    parameters.add(Map.entry("limit", Integer.toString(Math.min(left, PAGE))));
    return parameters.stream()
        .map(entry -> entry.getKey() + "=" + RestClient.encoded(entry.getValue()))
        .collect(Collectors.joining("&"));
  }
}
