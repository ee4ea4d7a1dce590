package io.stoker.cli.bench;

import io.stoker.cli.terminal.Table;
import io.stoker.cli.terminal.Terminal;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Shows a report to people. */
record BenchPrinter(Terminal terminal) {
  void print(BenchReport report) {
    if (report.backlog != null) {
      backlog(report.workload, report.backlog);
      return;
    }
    if (report.page != null) {
      page(report);
      return;
    }
    if (report.steady != null) {
      steady(report);
      return;
    }
    if (report.agent != null) {
      agent(report);
      return;
    }
    if (report.cpuSecondsPer1000 == null) {
      floor(report);
      return;
    }
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %,d jobs in %.2f s on %d cores%s%n",
            report.workload,
            report.jobs,
            report.seconds,
            report.cores,
            report.perSecond == null ? "" : ": %,.0f a second".formatted(report.perSecond));
    line("produce to process started", report.toStarted);
    line("produce to SUCCEEDED seen", report.toSucceeded);
    terminal.out().println();
    processes(report);
    if (report.floor != null) {
      beside(report);
    }
    terminal.flush();
  }

  private void floor(BenchReport report) {
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "floor: %,d records and %,d rows in %.2f s on %d cores%n%n",
            report.jobs,
            report.jobs,
            report.seconds,
            report.cores);
    parts(report.floor);
    terminal.flush();
  }

  private void beside(BenchReport report) {
    Floor floor = report.floor;
    Floor.Ratio ratio = floor.ratio();
    terminal.out().println();
    parts(floor);
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%n%s beside the floors: %.1f %% of Kafka's rate, %.1f %% of Postgres', %.1f times the CPU of both%n",
            report.workload,
            ratio.kafka() * 100,
            ratio.postgres() * 100,
            ratio.cpu());
  }

  private void parts(Floor floor) {
    Table table = new Table("FLOOR", "A SECOND", "CPU MS EACH", "WHAT");
    part(table, "kafka", floor.kafka(), "a record written and read");
    part(table, "postgres", floor.postgres(), "a row inserted and updated twice");
    table.print(terminal);
  }

  private static void part(Table table, String name, Floor.Part part, String what) {
    table.row(
        name,
        "%,.0f".formatted(part.perSecond()),
        String.format(Locale.ROOT, "%.3f", part.cpuMillis()),
        what);
  }

  private void agent(BenchReport report) {
    AgentFigures agent = report.agent;
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "agent: %d starts on %d cores, %d simulated GPUs%n",
            report.jobs,
            report.cores,
            agent.gpus());
    line("start to first heartbeat", agent.startToHeartbeat());
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "idle: %d MiB resident, %d MiB with spawner and watchdog; CPU %.2f %% of a core%n",
            agent.residentMiB(),
            agent.togetherMiB(),
            agent.idleCpuPercent());
    terminal.flush();
  }

  private void page(BenchReport report) {
    PageFigures page = report.page;
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "page: %,d requests, %.1f a second coming in, the last there after %.2f s, %d cores%n%n",
            page.requests(),
            page.perSecond(),
            page.behindSeconds(),
            report.cores);
    Table table =
        new Table(
            "VIEW", "JSON P50 MS", "P99", "LONGEST", "HTML P50 MS", "P99", "LONGEST", "FAILED");
    page.views()
        .forEach(
            (name, view) ->
                table.row(
                    name,
                    view.json().p50(),
                    view.json().p99(),
                    view.json().max(),
                    view.html().p50(),
                    view.html().p99(),
                    view.html().max(),
                    page.unanswered().getOrDefault(name, 0L)));
    table.print(terminal);
    terminal.flush();
  }

  private void steady(BenchReport report) {
    SteadyFigures steady = report.steady;
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "steady: %,d jobs, %,d a second, the last ended %.2f s after its produce, %d cores%n%n",
            report.jobs,
            steady.askedPerSecond(),
            steady.behindSeconds(),
            report.cores);
    Table table =
        new Table("JOBS A SECOND", "P50 MS", "P99", "LONGEST", "DATABASE MIB", "DEAD ROWS", "");
    for (SteadyFigures.Window window : steady.windows()) {
      Percentiles millis = window.toSucceeded();
      table.row(
          window.perSecond(),
          millis == null ? null : millis.p50(),
          millis == null ? null : millis.p99(),
          millis == null ? null : millis.max(),
          window.databaseMiB(),
          window.deadRows(),
          window.held() ? "a transaction is held open" : "");
    }
    table.print(terminal);
    terminal.flush();
  }

  private void backlog(String workload, Backlog report) {
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%s: %d hosts; behind %s %.0f %% of the rate behind %s%n%n",
            workload,
            report.hosts(),
            text(report.many()),
            report.ratio() * 100,
            text(report.few()));
    Table table = new Table("IN LINE", "JOBS A SECOND", "PASS MS", "DECISION MS", "DISPATCHER MIB");
    for (Backlog.Behind line : List.of(report.few(), report.many())) {
      table.row(
          text(line),
          line.perSecond(),
          line.passMillis(),
          line.decisionMillis(),
          line.dispatcherMiB());
    }
    table.print(terminal);
    terminal
        .out()
        .printf(
            Locale.ROOT,
            "%npass while jobs end one by one behind %s: %.1f ms%n",
            text(report.many()),
            report.singlePassMillis());
    terminal.flush();
  }

  private static String text(Backlog.Behind line) {
    return line.shapes() == null
        ? "%,d jobs".formatted(line.queued())
        : "%,d jobs of %,d shapes".formatted(line.queued(), line.shapes());
  }

  private void line(String what, Percentiles millis) {
    if (millis != null) {
      terminal
          .out()
          .printf(
              Locale.ROOT,
              "%s: p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, longest %.1f ms%n",
              what,
              millis.p50(),
              millis.p95(),
              millis.p99(),
              millis.max());
    }
  }

  private void processes(BenchReport report) {
    Table table = new Table("PROCESS", "CPU S / 1,000 JOBS", "IDLE CPU %", "MEMORY MIB");
    for (String name : report.cpuSecondsPer1000.keySet()) {
      table.row(
          name,
          of(report.cpuSecondsPer1000, name),
          of(report.idleCpuPercent, name),
          of(report.memoryMiB, name));
    }
    table.print(terminal);
  }

  private static Object of(Map<String, ?> figures, String name) {
    return figures == null ? null : figures.get(name);
  }
}
