package io.stoker.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.RunningStack;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.outcome.CliException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Prints what runs, for people and for scripts. */
record InfoPrinter(PrintWriter out) {
  /** The ready line: every address in one line, so that it is easy to find in a log. */
  void ready(StackInfo info) {
    out.printf(
        "ready bootstrap=%s url=%s postgres=%s redis=%s data=%s%n",
        info.bootstrap(),
        info.url() == null ? "none" : info.url(),
        withoutPassword(info.postgres()),
        withoutPassword(info.redis()),
        info.data());
    out.flush();
  }

  void json(StackInfo info) {
    try {
      out.println(new ObjectMapper().writeValueAsString(info));
      out.flush();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record of strings and numbers is always JSON", e);
    }
  }

  void text(StackInfo info) {
    line("Kafka", info.bootstrap());
    line("REST", info.url() == null ? "no dispatcher" : info.url());
    if (info.tokenFile() != null) {
      line("token", "in " + info.tokenFile());
    }
    line("Postgres", withoutPassword(info.postgres()));
    line("Redis", withoutPassword(info.redis()));
    line("data", info.data());
    StackInfo.Pids pids = info.pids();
    line("pids", "up %s".formatted(join(pids.up())));
    line("", "kafka %s".formatted(join(pids.kafka())));
    line("", "postgres %s".formatted(join(pids.postgres())));
    line("", "redis %s".formatted(join(pids.redis())));
    line("", "dispatcher %s".formatted(join(pids.dispatcher())));
    line("", "agent %s".formatted(join(pids.agent())));
  }

  /**
   * What runs on a data folder.
   *
   * @throws CliException with exit code 3 if nothing does, or it is not ready yet
   */
  static StackInfo find(DataFolder data) throws IOException {
    RunningStack stack =
        RunningStack.find(data)
            .orElseThrow(
                () ->
                    CliException.unreachable(
                        "no stack runs on %s: start one with stoker up".formatted(data)));
    if (!stack.ready()) {
      throw CliException.unreachable(
          "the stack on %s (pid %d) is still starting".formatted(data, stack.up().pid()));
    }
    return StackInfo.of(data, stack);
  }

  private void line(String what, String value) {
    out.printf("%-10s%s%n", what, value);
  }

  private static String join(List<Long> pids) {
    return pids.isEmpty() ? "-" : String.join(" ", pids.stream().map(String::valueOf).toList());
  }

  /** For people: a password does not belong on screens and in logs. info --json has it. */
  private static String withoutPassword(String postgres) {
    return postgres.replaceFirst("://[^@/]*@", "://");
  }
}
