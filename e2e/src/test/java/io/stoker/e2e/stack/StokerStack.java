package io.stoker.e2e.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.Requests;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.TemporaryData;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.topic.Topics;
import io.stoker.e2e.Checkout;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A whole Stoker of real processes as its users meet it: a producer to post with, the statuses and
 * dead letters that it answers with, and, for what must be seen behind them, its database.
 */
public final class StokerStack implements AutoCloseable {
  /** Its folder goes with it. */
  private final TemporaryData data;

  private static final String LEASE = "stoker.lease.duration";

  /**
   * Longer than a busy machine may stand still, but for the lease of a test that sets its own: an
   * attempt that is lost to a late heartbeat, or to a placement that was accepted too late, says
   * nothing of what tests look at.
   */
  private static final Map<String, String> PATIENT =
      Map.of(LEASE, "120s", "stoker.placement.accept-within", "120s");

  private final KeptLogs logs;
  private final EmbeddedStack processes;
  private final Topics topics;
  private final Producer producer;
  private final StatusLog statuses;
  private final DeadLetterLog deadLetters;

  private StokerStack(TemporaryData data, KeptLogs logs, EmbeddedStack processes, Topics topics) {
    this.data = data;
    this.logs = logs;
    this.processes = processes;
    this.topics = topics;
    KafkaAccess kafka = processes.info().kafka();
    producer = new Producer(kafka, topics);
    statuses = new StatusLog(kafka, topics.status());
    deadLetters = new DeadLetterLog(kafka, topics.deadLetters());
  }

  /**
   * Returns once it serves.
   *
   * @param name under which the logs of its processes are kept beyond its end
   */
  public static StokerStack start(String name, StackOptions options)
      throws IOException, InterruptedException {
    return start(name, options, folder -> {});
  }

  private static StokerStack start(
      String name, StackOptions options, Consumer<DataFolder> beforeItStarts)
      throws IOException, InterruptedException {
    QuickStarts.ready();
    TemporaryData data = TemporaryData.create("stoker-e2e");
    beforeItStarts.accept(data.folder());
    KeptLogs logs = new KeptLogs(name, data.folder());
    boolean ownLease = options.environments().dispatchers().containsKey("STOKER_LEASE_DURATION");
    Map<String, String> settings = new HashMap<>(PATIENT);
    if (ownLease) {
      settings.remove(LEASE);
    }
    settings.putAll(options.settings());
    try {
      return new StokerStack(
          data,
          logs,
          EmbeddedStack.start(data.folder(), options.withSettings(settings)),
          new Topics(Topics.DEFAULT_PREFIX));
    } catch (IOException | InterruptedException | RuntimeException e) {
      logs.close();
      data.close();
      throw e;
    }
  }

  /**
   * {@link #start(String, StackOptions)} with some of its services behind proxies, which the caller
   * closes after it.
   */
  public static StokerStack start(String name, StackOptions options, Proxies proxies)
      throws IOException, InterruptedException {
    return start(name, proxies.in(options), proxies::connectTo);
  }

  /** The pool of two warm workers that each host of {@link #twoOfEach} has. */
  public static final String POOL = "echo";

  /** Two dispatchers, and two hosts of four CPU slots each, without GPUs. */
  public static StackOptions twoOfEach() {
    return StackOptions.DEFAULT.withDispatchers(2).withHosts(2).withAgentEnvironment(withPool());
  }

  private static Map<String, String> withPool() {
    Map<String, String> environment = new HashMap<>(WITHOUT_GPUS);
    environment.put(
        "STOKER_POOLS_ECHO_COMMAND",
        "sh," + Checkout.root().resolve("e2e/src/test/resources/worker.sh"));
    environment.put("STOKER_POOLS_ECHO_MAX", "2");
    return environment;
  }

  /** Between a job's SIGTERM and its SIGKILL. */
  public static final Duration GRACE = Duration.ofSeconds(2);

  /** Jobs here are to run on CPU slots, whatever the machine has. */
  public static final Map<String, String> WITHOUT_GPUS =
      Map.of(
          "STOKER_AGENT_NVML_LIBRARY",
          "libabsent.so.1",
          "STOKER_AGENT_GRACE",
          GRACE.toSeconds() + "s");

  public DataFolder data() {
    return data.folder();
  }

  public EmbeddedStack processes() {
    return processes;
  }

  public Topics topics() {
    return topics;
  }

  public Producer producer() {
    return producer;
  }

  public StatusLog statuses() {
    return statuses;
  }

  public DeadLetterLog deadLetters() {
    return deadLetters;
  }

  /** What agents tell, from the beginning; to be closed before the stack is. */
  public EventLog events() {
    return new EventLog(processes.info().kafka(), topics.events());
  }

  /** What jobs have written, from the beginning; to be closed before the stack is. */
  public OutputLog outputs() {
    return new OutputLog(processes.info().kafka(), topics.logs());
  }

  public StokerDatabase database() {
    return new StokerDatabase(processes.info().postgres());
  }

  /** Its first dispatcher, which lets this in. */
  public RestClient rest() {
    return new RestClient(URI.create(processes.info().url()), access());
  }

  /** The token that its dispatchers ask for; empty if they ask for none. */
  public Optional<String> token() {
    return access().token();
  }

  private Access access() {
    return Access.byTokenIn(processes.info().tokenFile());
  }

  /** Posts requests, in order. */
  public void post(Posted... requests) {
    for (Posted request : requests) {
      producer.request(request);
    }
    producer.flush();
  }

  /** Ends what a test that failed has left: it would keep its place from those after it. */
  public void endWhatIsLeft() {
    List<String> left =
        statuses.newest().values().stream()
            .filter(status -> !status.state().terminal())
            .map(RequestStatus::id)
            .toList();
    try (RestClient rest = rest()) {
      Requests requests = new Requests(rest);
      left.forEach(id -> requests.cancel(id, "its test is over"));
    }
    statuses.awaitEnds(left, StatusLog.PATIENCE);
  }

  @Override
  public void close() throws IOException {
    try (data;
        logs;
        processes;
        deadLetters;
        statuses;
        producer) {
      // Closed in reverse: users of the processes first, the folder last.
    }
  }
}
