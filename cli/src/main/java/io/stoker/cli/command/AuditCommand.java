package io.stoker.cli.command;

import io.stoker.cli.kafka.TopicScan;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AuditEntry;
import io.stoker.common.text.PlainText;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoker audit}. */
@Command(
    name = "audit",
    description = {
      "Shows who has changed what; the newest last.",
      "By REST: each call that changes something, with its answer's status. By the control topic,",
      "which REST uses, too: what became of each message. Who has written a message is known of",
      "those that came by REST with a token."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker audit --since 2h",
      "  stoker audit --who ann train-042",
      "  stoker audit --follow --json | jq -r 'select(.outcome==\"403\").who'"
    })
public final class AuditCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofSeconds(1);

  @Spec private CommandSpec spec;
  @Mixin private DataOption data;

  @Parameters(
      paramLabel = "TEXT",
      arity = "0..1",
      description = "Only those that hold this in what was called, or in the ids.")
  private String text;

  @Option(names = "--who", paramLabel = "NAME", description = "Only what this one has done.")
  private String who;

  @Option(
      names = "--since",
      paramLabel = "D",
      converter = WhenConverter.class,
      description = "Only those of the last 2h, 7d, or since a time in ISO 8601.")
  private Instant since;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "At most so many, the newest. Default: ${DEFAULT-VALUE}.")
  private int limit;

  @Option(names = "--follow", description = "Go on with what comes, until it is interrupted.")
  private boolean follow;

  @Option(names = "--json", description = "One a line, as on the topic.")
  private boolean json;

  private final Map<Integer, Long> shown = new HashMap<>();

  @Override
  public Integer call() {
    if (limit < 1) {
      throw CliException.usage("--limit is %d, expected 1 or more".formatted(limit));
    }
    try (Session session = new Session(spec, data)) {
      KafkaAccess kafka = session.kafka();
      String topic = session.topics().audit();
      if (!follow) {
        past(session.terminal(), kafka, topic);
        return ExitCode.DONE;
      }
      // Opened first, so that nothing is missed between the two.
      try (TopicTail tail = TopicTail.open(kafka, List.of(topic))) {
        Interrupts.onFirst(Thread.currentThread()::interrupt);
        past(session.terminal(), kafka, topic);
        while (!Thread.currentThread().isInterrupted()) {
          for (ConsumerRecord<byte[], byte[]> record : tail.poll(POLL)) {
            if (record.offset() > shown.getOrDefault(record.partition(), -1L)) {
              wanted(record).ifPresent(entry -> print(session.terminal(), entry));
            }
          }
          session.terminal().flush();
        }
      }
      return ExitCode.DONE;
    }
  }

  private void past(Terminal terminal, KafkaAccess kafka, String topic) {
    Deque<AuditEntry> newest = new ArrayDeque<>();
    TopicScan.read(
        kafka,
        topic,
        Optional.ofNullable(since),
        OptionalLong.empty(),
        record -> {
          shown.put(record.partition(), record.offset());
          wanted(record).ifPresent(newest::addLast);
          if (newest.size() > limit) {
            newest.removeFirst();
          }
        });
    newest.forEach(entry -> print(terminal, entry));
    terminal.flush();
  }

  private Optional<AuditEntry> wanted(ConsumerRecord<byte[], byte[]> record) {
    try {
      return Optional.of(Json.read(record.value(), AuditEntry.class))
          .filter(entry -> who == null || who.equals(entry.who()))
          .filter(entry -> text == null || holds(entry));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  private boolean holds(AuditEntry entry) {
    return String.valueOf(entry.what()).contains(text)
        || entry.ids() != null && entry.ids().stream().anyMatch(id -> id.contains(text));
  }

  private void print(Terminal terminal, AuditEntry entry) {
    terminal.out().println(json ? Json.text(entry) : line(entry));
  }

  /** Texts of others show as they are, without what a terminal takes for its own. */
  static String line(AuditEntry entry) {
    StringBuilder line = new StringBuilder();
    line.append(entry.at()).append("  ");
    line.append(entry.who() == null ? "-" : entry.who()).append("  ");
    line.append(entry.from() == null ? entry.via() : entry.from()).append("  ");
    line.append(entry.what()).append("  ").append(entry.outcome());
    if (entry.ids() != null) {
      line.append("  ").append(String.join(" ", entry.ids()));
    }
    if (entry.reason() != null) {
      line.append("  ").append(entry.reason());
    }
    return PlainText.of(line.toString());
  }
}
