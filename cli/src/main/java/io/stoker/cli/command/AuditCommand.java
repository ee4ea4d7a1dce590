package io.stoker.cli.command;

import io.stoker.cli.kafka.TopicScan;
import io.stoker.cli.kafka.TopicTail;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.AuditEntry;
import io.stoker.common.text.PlainText;
import io.stoker.kafka.KafkaAccess;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
  private static final Pattern BELOW_MILLIS = Pattern.compile("(?<=\\.\\d{3})\\d+(?=Z$)");
  private static final Duration POLL = Duration.ofSeconds(1);

  @Mixin private DataOption data;
  @Mixin private NewestOptions newest;

  @Parameters(
      paramLabel = "TEXT",
      arity = "0..1",
      description = "Only those that hold this in what was called, or in the ids.")
  private String text;

  @Option(names = "--who", paramLabel = "NAME", description = "Only what this one has done.")
  private String who;

  @Option(names = "--follow", description = "Go on with what comes, until it is interrupted.")
  private boolean follow;

  @Option(names = "--json", description = "One a line, as on the topic.")
  private boolean json;

  private final Map<Integer, Long> shown = new HashMap<>();

  @Override
  public Integer call() {
    int limit = newest.limit();
    try (Session session = new Session(data)) {
      KafkaAccess kafka = session.kafka();
      String topic = session.topics().audit();
      if (!follow) {
        past(session.terminal(), kafka, topic, limit);
        return ExitCode.DONE;
      }
      // Opened first, so that nothing is missed between the two.
      try (TopicTail tail = TopicTail.open(kafka, List.of(topic))) {
        Interrupts.onFirst(Thread.currentThread()::interrupt);
        past(session.terminal(), kafka, topic, limit);
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

  private void past(Terminal terminal, KafkaAccess kafka, String topic, int limit) {
    Deque<AuditEntry> last = new ArrayDeque<>();
    TopicScan.read(
        kafka,
        topic,
        newest.since(),
        OptionalLong.empty(),
        record -> {
          shown.put(record.partition(), record.offset());
          wanted(record).ifPresent(last::addLast);
          if (last.size() > limit) {
            last.removeFirst();
          }
        });
    last.forEach(entry -> print(terminal, entry));
    if (last.isEmpty() && !follow && !json) {
      terminal.note("nobody has changed anything of that kind");
    }
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
    line.append(BELOW_MILLIS.matcher(entry.at()).replaceFirst("")).append("  ");
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
