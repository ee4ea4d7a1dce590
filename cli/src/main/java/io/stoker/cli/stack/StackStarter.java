package io.stoker.cli.stack;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.Readiness;
import io.stoker.cli.stack.kafka.EmbeddedKafka;
import io.stoker.cli.stack.kafka.SecureKafka;
import io.stoker.cli.stack.postgres.EmbeddedPostgres;
import io.stoker.cli.stack.redis.EmbeddedRedis;
import io.stoker.cli.stack.service.ServiceSpecs;
import io.stoker.cli.stack.sim.SimulatedDriver;
import io.stoker.cli.stack.sim.SimulatedGpus;
import io.stoker.cli.topics.ConfiguredQueues;
import io.stoker.cli.topics.TopicCreator;
import io.stoker.common.topic.Replication;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/** The order in which a stack comes up: whatever does not need another starts beside it. */
final class StackStarter {
  /**
   * For each service. What dies again and again is told at once; what is only slow, on a machine
   * that does much else, is waited for. An agent serves once a dispatcher does: its time is that of
   * both.
   */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final Home home;
  private final DataFolder data;
  private final StackPlan plan;
  private final Children children;
  private final SimulatedDriver driver;

  StackStarter(Home home, DataFolder data, StackPlan plan, Children children) {
    this.home = home;
    this.data = data;
    this.plan = plan;
    this.children = children;
    driver = new SimulatedDriver(home.simulatedDriver(), home.cache());
  }

  /** Returns once everything serves. */
  void start() throws Exception {
    if (plan.options().size().gpus() > 0) {
      driver.library(); // a machine without a compiler says so before anything has started
    }
    children.write();
    SideBySide.run(List.of(this::kafka, this::postgres, this::redis));
    ServiceSpecs services = services();
    Map<String, String> tokens = plan.tokens().isPresent() ? plan.tokens().get().make() : Map.of();
    SideBySide.run(
        Stream.concat(
                plan.dispatchers().stream()
                    .map(name -> (Callable<Void>) () -> dispatcher(services, name, tokens)),
                plan.hosts().stream().map(host -> (Callable<Void>) () -> agent(services, host)))
            .toList());
    children.ready();
  }

  private Map<String, String> agentEnvironment(String host)
      throws IOException, InterruptedException {
    Map<String, String> environment =
        environment(
            ServiceSpecs.agentName(host),
            SecureKafka.agent(host),
            plan.options().environments().agents());
    int gpus = plan.options().size().gpus();
    if (gpus == 0) {
      return environment;
    }
    SimulatedGpus simulated = new SimulatedGpus(data.simulatedGpus(host));
    simulated.make(host, gpus);
    environment.putAll(simulated.environment(driver.library()));
    return environment;
  }

  /** A service's, with its login to Kafka. */
  private Map<String, String> environment(String service, String user, Map<String, String> own)
      throws IOException {
    Map<String, String> environment = new HashMap<>();
    if (plan.kafka().isPresent()) {
      environment.put("STOKER_KAFKA_CONFIG", plan.kafka().get().client(user).toString());
    }
    environment.putAll(plan.options().environmentOf(service, own));
    return environment;
  }

  ServiceSpecs services() {
    return new ServiceSpecs(
        home, data, plan.backends(), plan.settings().hostSecret(), plan.options().settings());
  }

  private Void kafka() throws Exception {
    Optional<SecureKafka> secure = plan.kafka();
    Child kafka =
        children.start(
            EmbeddedKafka.spec(
                data,
                home.cache(),
                plan.settings().clusterId(),
                plan.port("kafka"),
                plan.port("kafka-controller"),
                plan.kafkaListeners(),
                secure));
    awaitServing(kafka);
    Topics layout = new Topics(Topics.DEFAULT_PREFIX);
    Readiness.await(
        kafka,
        () -> {
          KafkaAccess admin = plan.addresses().kafka();
          if (secure.isPresent()) {
            secure.get().admit(admin, layout, plan.hosts());
          }
          TopicCreator.create(admin, topics(layout), Replication.DEFAULT, PATIENCE);
        },
        PATIENCE);
    return null;
  }

  /** Those of its hosts, too, which a dispatcher would else make while their agents wait. */
  private List<Topics.Layout> topics(Topics layout) {
    return Stream.concat(
            layout.layouts(queues()).stream(), plan.hosts().stream().map(layout::placementsLayout))
        .toList();
  }

  /** Those that its dispatchers find in their environment and their settings. */
  private List<String> queues() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(plan.options().environments().dispatchers());
    return ConfiguredQueues.in(environment, plan.options().settings());
  }

  private Void postgres() throws Exception {
    EmbeddedPostgres cluster =
        EmbeddedPostgres.prepare(data, home.cache(), plan.settings().postgresPassword());
    Child postgres = children.start(cluster.spec(plan.port("postgres")));
    awaitServing(postgres);
    if (plan.options().size().dispatchers() > 0) {
      services().migrate();
    }
    return null;
  }

  private Void redis() throws Exception {
    awaitServing(
        children.start(
            EmbeddedRedis.spec(
                data, home.cache(), plan.port("redis"), plan.settings().redisPassword())));
    return null;
  }

  private Void dispatcher(ServiceSpecs services, String name, Map<String, String> tokens)
      throws Exception {
    Map<String, String> environment = new HashMap<>(tokens);
    environment.putAll(
        environment(name, SecureKafka.DISPATCHER, plan.options().environments().dispatchers()));
    awaitServing(children.start(services.dispatcher(name, plan.port(name), environment)));
    return null;
  }

  private Void agent(ServiceSpecs services, String host) throws Exception {
    awaitServing(children.start(services.agent(host, agentEnvironment(host))));
    return null;
  }

  private void awaitServing(Child child) throws Exception {
    Readiness.await(child, new Serving(plan).probe(child), PATIENCE);
  }
}
