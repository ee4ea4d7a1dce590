package io.stoker.cli.bench;

import io.stoker.cli.command.Connection;
import io.stoker.cli.command.DataOption;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.StackInfo;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.TemporaryData;
import io.stoker.cli.stack.service.ServiceProgram;
import io.stoker.cli.terminal.Interrupts;
import io.stoker.cli.terminal.ProgressLine;
import io.stoker.cli.terminal.Terminal;
import io.stoker.common.json.Json;
import io.stoker.common.request.RequestArray;
import io.stoker.common.topic.Topics;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stoker bench}. */
@Command(
    name = "bench",
    description = {
      "Measures how fast a stack is.",
      "The stack is the one that STOKER_URL and STOKER_BOOTSTRAP name, else the local one if it"
          + " runs,",
      "else one that is started for it and removed again. docs/performance.md says what figures"
          + " mean.",
      "  intake      requests accepted a second, with all hosts cordoned",
      "  process     jobs a second from end to end, with /bin/true",
      "  latency     from produce to the process's start and to SUCCEEDED, one job after the other",
      "  pool        jobs a second by warm workers that do nothing, and one after the other; a"
          + " stack",
      "              that is there needs a pool named bench for it",
      "  steady      such jobs at --per-second: for each tenth of the time how many ended, how long"
          + " they",
      "              took, and how large the database is; a stack that is there needs that pool, too",
      "  duplicates  requests answered a second that equal jobs which have succeeded",
      "  backlog     jobs a second on 100 virtual hosts behind a line of 1,000 and behind one of",
      "              --jobs, on a stack of its own: the dispatcher's part alone",
      "  shapes      the same behind a line of --jobs that ask for the same and behind one of which no",
      "              two do",
      "  agent       what an agent takes from its start to its first heartbeat, --jobs times, and"
          + " then",
      "              without work, on a stack of its own with 8 simulated GPUs: needs a C compiler",
      "  floor       what Kafka and Postgres alone take, on a stack of this machine: records of 650",
      "              bytes written and read; rows inserted and updated twice, 500 a statement",
      "  page        how long each view of the page takes, with --jobs requests there and 500 a"
          + " second",
      "              coming in, on a stack of its own with 100 virtual hosts"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  stoker bench --workload latency",
      "  stoker bench --workload intake --jobs 100000 --json | jq .perSecond",
      "  stoker bench --workload floor",
      "  stoker bench --workload steady --jobs 300000 --hold-transaction",
      "  stoker bench --workload pool --floor --json | jq .floor.ratio"
    })
public final class BenchCommand implements Callable<Integer> {
  /** Those of which a rate can be put beside the floors. */
  private static final Set<Workload> MANY_AT_ONCE =
      EnumSet.of(Workload.INTAKE, Workload.PROCESS, Workload.POOL, Workload.DUPLICATES);

  /** Enough for a ratio beside a workload. */
  private static final int FLOOR_BESIDE = 60_000;

  @Mixin private DataOption data;

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "W",
      description = {
        "One of intake, process, latency, pool, steady, duplicates, backlog, shapes,",
        "agent, floor, page."
      })
  private Workload workload;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = {
        "How many are measured. Default: 20000 for intake and pool, 2000 for process,",
        "200 for latency, 30000 for steady, 60000 for duplicates, 1000000 for backlog and page, 50000 for",
        "shapes, 10 for agent, 200000 for floor."
      })
  private Integer jobs;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      description = {
        "How many run before, unmeasured; 0 shows a young stack.",
        "Default: 60000 for intake, 8000 for process, 1000 for latency, 40000 for pool and",
        "steady,",
        "240000 for duplicates, 16000 for backlog and shapes, 1 for agent,",
        "100000 for floor; for page how often each view is asked for: 20."
      })
  private Integer warmUp;

  @Option(
      names = "--per-record",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "Requests in one record, as an array, for intake, duplicates, process and pool.",
        "Default: ${DEFAULT-VALUE}."
      })
  private int perRecord;

  @Option(
      names = "--per-second",
      paramLabel = "R",
      defaultValue = "500",
      description = "With steady: jobs posted a second. Default: ${DEFAULT-VALUE}.")
  private int perSecond;

  @Option(
      names = "--hold-transaction",
      description = {
        "With steady: from a fifth of the time to four fifths, hold a transaction open on",
        "the database, as a backup or an analyst does."
      })
  private boolean hold;

  @Option(
      names = "--cpu-slots",
      paramLabel = "N",
      defaultValue = "16",
      description = "CPU jobs at once on a stack that is started. Default: ${DEFAULT-VALUE}.")
  private int cpuSlots;

  @Option(
      names = "--secure",
      description = "On a stack that is started, as stoker up --secure has it.")
  private boolean secure;

  @Option(
      names = "--floor",
      description = {
        "With intake, process, pool and duplicates: measure the floor, too,",
        "right after the jobs on the same stack, and say how they compare."
      })
  private boolean floor;

  @Option(names = "--json", description = "One JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    int count = jobs == null ? workload.defaultJobs() : jobs;
    if (count < 1 || cpuSlots < 1 || perSecond < 1) {
      throw CliException.usage(
          "--jobs is %d, --cpu-slots is %d and --per-second is %d, expected 1 or more"
              .formatted(count, cpuSlots, perSecond));
    }
    if (warmUp != null && warmUp < 0) {
      throw CliException.usage("--warm-up is %d, expected 0 or more".formatted(warmUp));
    }
    if (floor && !MANY_AT_ONCE.contains(workload)) {
      throw CliException.usage(
          "--floor goes with intake, process, pool and duplicates; of %s no rate is measured"
              .formatted(workload.name().toLowerCase(Locale.ROOT)));
    }
    if (hold && workload != Workload.STEADY) {
      throw CliException.usage("--hold-transaction goes with steady");
    }
    if (perRecord < 1 || perRecord > RequestArray.MOST) {
      throw CliException.usage(
          "--per-record is %d, expected 1 to %d".formatted(perRecord, RequestArray.MOST));
    }
    Terminal terminal = data.terminal();
    Interrupts.onFirst(Thread.currentThread()::interrupt);
    if (workload == Workload.BACKLOG || workload == Workload.SHAPES || workload == Workload.PAGE) {
      return withVirtualHosts(terminal, count);
    }
    if (workload == Workload.AGENT) {
      return agent(terminal, count);
    }
    Connection connection = Connection.of(data);
    if (workload == Workload.FLOOR) {
      return floor(terminal, connection, count);
    }
    if (connection.isLocal() && connection.running().isEmpty()) {
      return onOwnStack(terminal, count);
    }
    if (secure) {
      throw CliException.usage(
          "--secure is for a stack that is started, and there is one: stop it");
    }
    return measure(terminal, existing(connection), count);
  }

  private Target existing(Connection connection) {
    return new Target(
        connection.kafka(),
        connection.rest(),
        new Topics(connection.topicPrefix()),
        local(connection),
        false);
  }

  /** Empty for a stack that variables name. */
  private Optional<StackInfo> local(Connection connection) {
    return connection
        .running()
        .filter(stack -> connection.isLocal())
        .map(stack -> StackInfo.of(data.folder(), stack));
  }

  private int onOwnStack(Terminal terminal, int count) throws IOException {
    StackOptions options =
        StackOptions.DEFAULT.withAgentEnvironment(
            workload == Workload.POOL || workload == Workload.STEADY
                ? BenchPool.environment()
                : Map.of("STOKER_AGENT_CPU_SLOTS", Integer.toString(cpuSlots)));
    return onOwnStack(terminal, options, stack -> measure(terminal, target(stack.info()), count));
  }

  private int withVirtualHosts(Terminal terminal, int count) throws IOException {
    return onOwnStack(
        terminal,
        StackOptions.DEFAULT
            .withHosts(0)
            .withDispatcherEnvironment(
                workload == Workload.PAGE ? PageBench.environment() : Map.of()),
        stack -> {
          String secret = StackSettings.read(stack.data()).orElseThrow().hostSecret();
          byte[] key = HexFormat.of().parseHex(secret);
          BenchReport report;
          try (ProgressLine progress = new ProgressLine(terminal)) {
            report = withVirtualHosts(target(stack.info()), key, count, progress);
          }
          return print(terminal, report);
        });
  }

  private BenchReport withVirtualHosts(Target target, byte[] key, int count, ProgressLine progress)
      throws InterruptedException {
    return switch (workload) {
      case PAGE -> new PageBench(target, warmUp(), progress).run(key, count);
      case SHAPES -> new BacklogBench(target, warmUp(), progress).runShapes(key, count);
      default -> new BacklogBench(target, warmUp(), progress).run(key, count);
    };
  }

  private int agent(Terminal terminal, int count) throws IOException {
    makeStartCache(terminal);
    return onOwnStack(
        terminal,
        StackOptions.DEFAULT.withGpus(AgentBench.GPUS),
        stack -> {
          BenchReport report;
          try (ProgressLine progress = new ProgressLine(terminal)) {
            report = new AgentBench(stack, target(stack.info()), warmUp(), progress).run(count);
          }
          return print(terminal, report);
        });
  }

  /** What a stack that has run before has made meanwhile. */
  private static void makeStartCache(Terminal terminal) throws IOException {
    try {
      if (!ServiceProgram.agent(Home.locate()).onClassPath().makeCache()) {
        terminal.note("this JVM keeps no cache of an agent's start: JDK 25 does");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is done with a stack that ends afterwards. */
  private interface Measurement {
    int run(EmbeddedStack stack) throws IOException, InterruptedException;
  }

  private int onOwnStack(Terminal terminal, StackOptions options, Measurement measurement)
      throws IOException {
    try (TemporaryData temporary = TemporaryData.create("stoker-bench-")) {
      terminal.note("starting a stack in %s ...".formatted(temporary.folder()));
      StackOptions wished = options.withSecure(secure);
      try (EmbeddedStack stack = EmbeddedStack.start(temporary.folder(), wished, terminal::note)) {
        return measurement.run(stack);
      } finally {
        // Stopping takes its time even for one who was told to hurry.
        Thread.interrupted();
      }
    } catch (InterruptedException e) {
      return Interrupts.EXIT_CODE;
    }
  }

  private static Target target(StackInfo own) {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX);
    RestClient rest = new RestClient(URI.create(own.url()), Access.byTokenIn(own.tokenFile()));
    return new Target(own.kafka(), rest, topics, Optional.of(own), true);
  }

  private int measure(Terminal terminal, Target target, int count) {
    BenchReport report;
    try (ProgressLine progress = new ProgressLine(terminal)) {
      report =
          workload == Workload.STEADY
              ? new SteadyBench(target, warmUp(), perSecond, hold, progress).run(count)
              : new Bench(target, warmUp(), perRecord, beside(target, progress), progress)
                  .run(workload, count);
    }
    return print(terminal, report);
  }

  private int floor(Terminal terminal, Connection connection, int count) throws IOException {
    Optional<StackInfo> local = local(connection);
    if (local.isPresent()) {
      return floor(terminal, local.get(), count);
    }
    if (!connection.isLocal()) {
      throw notElsewhere();
    }
    return onOwnStack(
        terminal, StackOptions.BACKENDS_ONLY, stack -> floor(terminal, stack.info(), count));
  }

  private int floor(Terminal terminal, StackInfo stack, int count) {
    Floor measured;
    long start = System.nanoTime();
    try (ProgressLine progress = new ProgressLine(terminal)) {
      measured = new FloorBench(stack, warmUp(), count, progress).run();
    }
    double seconds = Rounded.secondsSince(start);
    BenchReport report = new BenchReport("floor", count, seconds);
    report.floor = measured;
    return print(terminal, report);
  }

  private Optional<FloorBench> beside(Target target, ProgressLine progress) {
    return floor
        ? Optional.of(
            new FloorBench(
                target.local().orElseThrow(BenchCommand::notElsewhere),
                FLOOR_BESIDE / 2,
                FLOOR_BESIDE,
                progress))
        : Optional.empty();
  }

  private static CliException notElsewhere() {
    return CliException.usage(
        "the floor is measured on a stack of this machine, whose database and processes are known,"
            + " and variables (STOKER_URL, STOKER_BOOTSTRAP) name another");
  }

  private int warmUp() {
    return warmUp == null ? workload.defaultWarmUp() : warmUp;
  }

  private int print(Terminal terminal, BenchReport report) {
    if (json) {
      terminal.out().println(Json.text(report));
      terminal.flush();
    } else {
      new BenchPrinter(terminal).print(report);
    }
    return ExitCode.DONE;
  }
}
