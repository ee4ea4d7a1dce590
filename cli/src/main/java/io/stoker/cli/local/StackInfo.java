package io.stoker.cli.local;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.stoker.kafka.KafkaAccess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The facts that {@code stoker info --json} prints. Scripts depend on the names. */
@JsonPropertyOrder({
  "bootstrap",
  "kafkaConfig",
  "url",
  "tokenFile",
  "postgres",
  "redis",
  "data",
  "pids"
})
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StackInfo(
    String bootstrap,
    String url,
    String postgres,
    String redis,
    String data,
    Pids pids,
    String kafkaConfig,
    String tokenFile) {
  /** How its Kafka is reached. */
  public KafkaAccess kafka() {
    return KafkaAccess.at(bootstrap, Optional.ofNullable(kafkaConfig).map(Path::of));
  }

  /** The live processes by what they are; the pids are those of the real processes. */
  public record Pids(
      List<Long> up,
      List<Long> kafka,
      List<Long> postgres,
      List<Long> redis,
      List<Long> dispatcher,
      List<Long> agent) {}

  public static StackInfo of(DataFolder data, RunningStack stack) {
    Map<Role, List<Long>> pids =
        stack.children().stream()
            .filter(child -> child.process().find().isPresent())
            .collect(
                Collectors.groupingBy(
                    RunningStack.ChildRef::role,
                    Collectors.mapping(child -> child.process().pid(), Collectors.toList())));
    Function<Role, List<Long>> of = role -> pids.getOrDefault(role, List.of());
    Addresses at = stack.addresses();
    return new StackInfo(
        at.bootstrap(),
        at.url(),
        at.postgres(),
        at.redis(),
        data.toString(),
        new Pids(
            List.of(stack.up().pid()),
            of.apply(Role.KAFKA),
            of.apply(Role.POSTGRES),
            of.apply(Role.REDIS),
            of.apply(Role.DISPATCHER),
            of.apply(Role.AGENT)),
        at.kafkaConfig(),
        at.tokenFile());
  }
}
