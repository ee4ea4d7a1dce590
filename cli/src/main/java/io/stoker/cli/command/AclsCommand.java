package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Terminal;
import io.stoker.cli.topics.Rights;
import io.stoker.common.json.Json;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.resource.PatternType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker acls}. */
@Command(
    name = "acls",
    description = {
      "Prints the rights in Kafka that roles need, and no others.",
      "Each is a line of Kafka's own kafka-acls, or JSON. With --apply they are given, too, by the",
      "Kafka of STOKER_BOOTSTRAP, else the local stack's; what is there already stays."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker acls --dispatcher --host gpu-box-7 --host gpu-box-8",
      "  stoker acls --queue vision --principal User:vision-team --json",
      "  STOKER_BOOTSTRAP=kafka:9093 STOKER_KAFKA_CONFIG=admin.properties stoker acls --dispatcher --apply"
    })
public final class AclsCommand implements Callable<Integer> {
  private static final int PATIENCE_S = 30;

  @Mixin private DataOption data;

  @Option(names = "--dispatcher", description = "Of all dispatchers.")
  private boolean dispatcher;

  @Option(
      names = "--host",
      paramLabel = "H",
      description = "Of the agent of host H; may be given again for others.")
  private List<String> hosts = List.of();

  @Option(
      names = "--queue",
      paramLabel = "Q",
      description = {
        "Of who posts to queue Q by its own topic, and reads its own topic of statuses;",
        "may be given again for others."
      })
  private List<String> queues = List.of();

  @Option(names = "--producer", description = "Of who posts to all queues that are open.")
  private boolean producer;

  @Option(
      names = "--consumer",
      description = "Of who reads the statuses, refusals and output of all requests.")
  private boolean consumer;

  @Option(
      names = "--principal",
      paramLabel = "P",
      description = {
        "Who gets them, as Kafka names it; for one role.",
        "Default: User:stoker-dispatcher, User:stoker-host-H, User:stoker-queue-Q, and so on."
      })
  private String principal;

  @Option(
      names = "--group",
      paramLabel = "G",
      description =
          "What the names of consumer groups start with. Default: stoker-dispatcher for the"
              + " dispatcher (its stoker.group), none for a queue and a consumer.")
  private String group;

  @Option(
      names = "--prefix",
      paramLabel = "PREFIX",
      description = "Of every topic's name. Default: $STOKER_TOPICS_PREFIX, else stoker.")
  private String prefix;

  @Option(names = "--apply", description = "Give them.")
  private boolean apply;

  @Option(names = "--json", description = "Print one right a line, as JSON.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    Connection connection = Connection.of(data);
    Rights rights = new Rights(new Topics(prefix == null ? connection.topicPrefix() : prefix));
    List<AclBinding> all = chosen(rights);
    if (apply) {
      give(connection.kafka(), all);
    }
    Terminal terminal = data.terminal();
    lines(all).forEach(terminal.out()::println);
    terminal.flush();
    return ExitCode.DONE;
  }

  private List<AclBinding> chosen(Rights rights) {
    Map<String, Function<String, List<AclBinding>>> roles = new LinkedHashMap<>();
    if (dispatcher) {
      String groups = group == null ? "stoker-dispatcher" : group;
      roles.put("dispatcher", who -> rights.dispatcher(who, groups));
    }
    hosts.forEach(host -> roles.put("host-" + host, who -> rights.host(who, host)));
    queues.forEach(
        queue ->
            roles.put(
                "queue-" + queue, who -> rights.queue(who, queue, Optional.ofNullable(group))));
    if (producer) {
      roles.put("producer", rights::producer);
    }
    if (consumer) {
      roles.put("consumer", who -> rights.consumer(who, Optional.ofNullable(group)));
    }
    if (roles.isEmpty()) {
      throw CliException.usage(
          "expected --dispatcher, --host H, --queue Q, --producer or --consumer");
    }
    if (principal != null && roles.size() > 1) {
      throw CliException.usage("--principal is for one role, not for " + roles.keySet());
    }
    List<AclBinding> all = new ArrayList<>();
    roles.forEach(
        (role, of) -> all.addAll(of.apply(principal == null ? "User:stoker-" + role : principal)));
    return all;
  }

  private static void give(KafkaAccess kafka, List<AclBinding> all) throws InterruptedException {
    try (Admin admin = kafka.admin(Map.of())) {
      admin.createAcls(all).all().get(PATIENCE_S, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | KafkaException e) {
      throw CliException.unreachable(
          "Kafka at %s did not give them: %s".formatted(kafka, kafka.trouble(e)), e);
    }
  }

  private List<String> lines(List<AclBinding> all) {
    return all.stream().map(json ? AclsCommand::json : AclsCommand::line).toList();
  }

  private static String json(AclBinding right) {
    Map<String, String> line = new LinkedHashMap<>();
    line.put("principal", right.entry().principal());
    line.put("operation", right.entry().operation().name());
    line.put("resource", right.pattern().resourceType().name());
    line.put("pattern", right.pattern().patternType().name());
    line.put("name", right.pattern().name());
    return Json.text(line);
  }

  private static String line(AclBinding right) {
    String kind = right.pattern().resourceType().name().toLowerCase(Locale.ROOT);
    return ("kafka-acls --bootstrap-server \"$STOKER_BOOTSTRAP\" --command-config"
            + " \"$STOKER_KAFKA_CONFIG\" --add --allow-principal '%s' --operation %s --%s '%s'%s")
        .formatted(
            right.entry().principal(),
            right.entry().operation().name().toLowerCase(Locale.ROOT),
            kind,
            right.pattern().name(),
            right.pattern().patternType() == PatternType.PREFIXED
                ? " --resource-pattern-type prefixed"
                : "");
  }
}
