package io.stoker.cli.command;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.json.Json;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code stoker topics}. */
@Command(
    name = "topics",
    description = "Looks after the topics in Kafka.",
    footerHeading = "%nExamples:%n",
    footer = {"  stoker topics create", "  stoker topics create --queue night"})
public final class TopicsCommand implements Runnable {
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9._-]{1,128}");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw CliException.usage("topics needs a subcommand: stoker topics create");
  }

  /** {@code stoker topics create}. */
  @Command(
      name = "create",
      description = {
        "Makes the topics that are missing and prints their names.",
        "Of those that are there, compression.type is put right where it is not, and that is printed,",
        "too: topics of earlier builds take records of any size as long as they are zipped. All else",
        "of them stays.",
        "Kafka is the one of STOKER_BOOTSTRAP, else the local stack's."
      },
      footerHeading = "%nExamples:%n",
      footer = {
        "  stoker topics create",
        "  stoker topics create --queue night --queue vision",
        "  STOKER_BOOTSTRAP=kafka:9092 stoker topics create --replication-factor 3"
      })
  int create(
      @Mixin DataOption data,
      @Option(
              names = "--prefix",
              paramLabel = "PREFIX",
              description = "Of every name. Default: $STOKER_TOPICS_PREFIX, else stoker.")
          String prefix,
      @Option(
              names = "--queue",
              paramLabel = "Q",
              description = "Make its own request topic, too; may be given again for others.")
          List<String> queues,
      @Option(
              names = "--replication-factor",
              paramLabel = "N",
              description =
                  "Copies of each partition. Default: $STOKER_TOPICS_REPLICATION_FACTOR, else as"
                      + " many as there are brokers, up to 3.")
          Integer factor,
      @Option(
              names = "--min-insync-replicas",
              paramLabel = "N",
              description =
                  "Copies that must have a record before it counts as written. Default:"
                      + " $STOKER_TOPICS_MIN_INSYNC_REPLICAS, else the broker's own.")
          Integer minInsync,
      @Option(
              names = "--json",
              description =
                  "Print {\"topic\"} a line; of one that was altered, setting, value and before, too.")
          boolean json)
      throws InterruptedException {
    Replication replication = replication(factor, minInsync);
    Connection connection = Connection.of(data);
    KafkaAccess kafka = connection.kafka();
    Topics layout = new Topics(prefix == null ? connection.topicPrefix() : prefix);
    PrintWriter out = spec.commandLine().getOut();
    try {
      TopicCreator.create(kafka, layout.layouts(queues(queues)), replication, PATIENCE)
          .forEach(made -> out.println(json ? Json.text(Map.of("topic", made)) : made));
      TopicCreator.mend(kafka, layout, PATIENCE)
          .forEach(altered -> out.println(json ? Json.text(altered) : said(altered)));
    } catch (IllegalArgumentException e) {
      throw CliException.usage("--" + e.getMessage());
    } catch (ExecutionException | KafkaException e) {
      throw CliException.unreachable(
          "Kafka at %s did not make the topics: %s".formatted(kafka, kafka.trouble(e)), e);
    }
    out.flush();
    return ExitCode.DONE;
  }

  private static String said(TopicCreator.Altered altered) {
    return "%s: %s is %s now, and was %s"
        .formatted(altered.topic(), altered.setting(), altered.value(), altered.before());
  }

  private static Replication replication(Integer factor, Integer minInsync) {
    try {
      return new Replication(
          given(factor, "STOKER_TOPICS_REPLICATION_FACTOR"),
          given(minInsync, "STOKER_TOPICS_MIN_INSYNC_REPLICAS"));
    } catch (IllegalArgumentException e) {
      throw CliException.usage("--" + e.getMessage());
    }
  }

  private static OptionalInt given(Integer option, String variable) {
    if (option != null) {
      return OptionalInt.of(option);
    }
    String value = System.getenv(variable);
    if (value == null || value.isBlank()) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(Integer.parseInt(value.strip()));
    } catch (NumberFormatException e) {
      throw CliException.usage("%s is %s, expected a number".formatted(variable, value));
    }
  }

  private static List<String> queues(List<String> given) {
    List<String> queues = given == null ? List.of() : given;
    for (String queue : queues) {
      if (!QUEUE.matcher(queue).matches()) {
        throw CliException.usage(
            "--queue is %s, expected 1 to 128 of A-Z a-z 0-9 . _ -".formatted(queue));
      }
    }
    return queues;
  }
}
