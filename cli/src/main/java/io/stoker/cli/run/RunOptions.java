package io.stoker.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a command line that make a job. */
public final class RunOptions {
  /** An environment variable is 128 KiB at most, and base64 takes a third more. */
  public static final int MOST_INPUT = 90 * 1024;

  private static final String SECRET = "@secret:";

  private static final String INPUT = "STOKER_RUN_STDIN";

  /** Its exit code is that of the command, the last of the pipe. */
  private static final String WITH_INPUT = "printf %s \"$" + INPUT + "\" | base64 -d | \"$@\"";

  @Option(names = "--gpus", paramLabel = "N", description = "GPUs. Default: none.")
  private Integer gpus;

  @Option(
      names = "--gpu-memory",
      paramLabel = "SIZE",
      description = "Memory needed on each GPU, such as 6GiB; asks for one GPU.")
  private String gpuMemory;

  @Option(names = "--cpus", paramLabel = "N", description = "CPU slots. Default: one without GPU.")
  private Integer cpus;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      description = "Memory needed of the host, such as 16GiB.")
  private String memory;

  @Option(
      names = "--hosts",
      paramLabel = "N",
      description = "Run on so many hosts at once, each with all the rest. Default: one.")
  private Integer hosts;

  @Option(
      names = "--require",
      paramLabel = "NAME=VALUE",
      description = "Only on a host with this label, such as model=H200; may be given again.")
  private Map<String, String> require = new LinkedHashMap<>();

  @Option(names = "--image", paramLabel = "I", description = "In a container of this image.")
  private String image;

  @Option(
      names = "--env",
      paramLabel = "NAME[=VALUE]",
      description = {
        "A variable of the job's, by NAME alone as it is here; may be given again.",
        "VALUE @secret:S is that of secret S of the host: no message has it."
      })
  private List<String> env = new ArrayList<>();

  @Option(names = "--queue", paramLabel = "Q", description = "The queue to wait in.")
  private String queue;

  @Option(
      names = "--user",
      paramLabel = "NAME",
      description = "Whose it is: a host may serve some users alone.")
  private String user;

  @Option(names = "--priority", paramLabel = "N", description = "-1000 to 1000, higher first.")
  private Integer priority;

  @Option(names = "--timeout", paramLabel = "D", description = "Longest run, such as 90s or 2h.")
  private String timeout;

  @Option(names = "--group", paramLabel = "G", description = "The group it belongs to.")
  private String group;

  @Option(
      names = "--label",
      paramLabel = "NAME=VALUE",
      description = "A label, for stoker list --label; may be given again.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--preemptible",
      description = "Whether it may make room for more urgent jobs, and run again later.")
  private boolean preemptible;

  @Option(
      names = "--share",
      description = {
        "Not if an equal job has succeeded or is live: then its output and its result are shown, and",
        "whose it is."
      })
  private boolean share;

  /**
   * The request that says the same.
   *
   * @param folder where it runs, unless in a container; empty = a scratch folder
   * @param input what it reads from its standard input; empty for nothing
   * @param environment of this process
   * @throws CliException with exit code 2 if the input is too large or a variable is not set
   */
  public ObjectNode request(
      String id,
      List<String> command,
      Optional<String> folder,
      Optional<byte[]> input,
      Map<String, String> environment) {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", id);
    List<String> words = new ArrayList<>(command);
    if (input.isPresent()) {
      words.addAll(0, List.of("sh", "-c", WITH_INPUT, "sh"));
    }
    words.forEach(request.putArray("command")::add);
    // Whoever runs a command wants it to run, not to hear what it gave the last time.
    request.put("dedup", share ? "share" : "always");
    folder.filter(any -> image == null).ifPresent(here -> request.put("workdir", here));
    put(request, "image", image);
    put(request, "queue", queue);
    put(request, "user", user);
    put(request, "priority", priority);
    put(request, "timeout", timeout);
    put(request, "group", group);
    put(request, "preemptible", preemptible ? true : null);
    map(request, "labels", labels);
    map(request, "env", variables(input, environment));
    if (request.get("env") instanceof ObjectNode variables) {
      variables.properties().forEach(RunOptions::name);
    }
    ObjectNode resources = JsonNodeFactory.instance.objectNode();
    put(resources, "gpus", gpus == null && gpuMemory != null ? Integer.valueOf(1) : gpus);
    put(resources, "gpuMemory", gpuMemory);
    put(resources, "cpus", cpus);
    put(resources, "memory", memory);
    put(resources, "hosts", hosts);
    map(resources, "require", require);
    if (!resources.isEmpty()) {
      request.set("resources", resources);
    }
    return request;
  }

  private Map<String, String> variables(Optional<byte[]> input, Map<String, String> environment) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (String one : env) {
      int cut = one.indexOf('=');
      String name = cut < 0 ? one : one.substring(0, cut);
      String value = cut < 0 ? environment.get(name) : one.substring(cut + 1);
      if (name.isEmpty() || value == null) {
        throw CliException.usage(
            "--env is %s, expected NAME=VALUE, or the NAME of a variable that is set here"
                .formatted(one));
      }
      variables.put(name, value);
    }
    input.ifPresent(bytes -> variables.put(INPUT, encoded(bytes)));
    return variables;
  }

  /** A secret is named, and its value put in by the host. */
  private static void name(Map.Entry<String, JsonNode> variable) {
    String value = variable.getValue().asText();
    if (value.startsWith(SECRET)) {
      variable.setValue(
          JsonNodeFactory.instance.objectNode().put("secret", value.substring(SECRET.length())));
    }
  }

  private static String encoded(byte[] input) {
    if (input.length > MOST_INPUT) {
      throw CliException.usage(
          "standard input is larger than %d KiB, which is the most that goes with a request: put it"
                  .formatted(MOST_INPUT / 1024)
              + " in a file that the job reads");
    }
    return new String(Base64.getEncoder().encode(input), StandardCharsets.US_ASCII);
  }

  private static void put(ObjectNode to, String field, Object value) {
    if (value != null) {
      to.set(field, Json.tree(value));
    }
  }

  private static void map(ObjectNode to, String field, Map<String, String> values) {
    if (!values.isEmpty()) {
      ObjectNode node = to.putObject(field);
      values.forEach(node::put);
    }
  }
}
