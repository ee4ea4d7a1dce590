package io.stoker.agent.app;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.stoker.agent.attempt.DeviceAllocator;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.config.AgentConfig;
import io.stoker.agent.config.DeviceListSetting;
import io.stoker.agent.config.KafkaSettings;
import io.stoker.agent.config.PoolsConfig;
import io.stoker.agent.device.DeviceMask;
import io.stoker.agent.device.HealthBook;
import io.stoker.agent.device.HealthRecord;
import io.stoker.agent.device.XidPolicy;
import io.stoker.agent.disk.DiskFloor;
import io.stoker.agent.disk.DiskWatch;
import io.stoker.agent.disk.JobShare;
import io.stoker.agent.hardware.DeviceWatch;
import io.stoker.agent.hardware.HealthWatch;
import io.stoker.agent.hardware.HostDevices;
import io.stoker.agent.hardware.HostMeter;
import io.stoker.agent.hardware.JobLabels;
import io.stoker.agent.hardware.NearCpus;
import io.stoker.agent.hardware.ToldDevices;
import io.stoker.agent.host.Agent;
import io.stoker.agent.host.AgentSettings;
import io.stoker.agent.host.HostPorts;
import io.stoker.agent.kafka.MuteWatch;
import io.stoker.agent.kafka.Outlets;
import io.stoker.agent.kafka.PlacementsReader;
import io.stoker.agent.kafka.Rendezvous;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.loop.AgentName;
import io.stoker.agent.loop.Ports;
import io.stoker.agent.loop.RecordSignatures;
import io.stoker.agent.metrics.JobMapping;
import io.stoker.agent.metrics.MetricsEndpoint;
import io.stoker.agent.policy.Policies;
import io.stoker.agent.policy.PolicyChoice;
import io.stoker.agent.policy.PolicyException;
import io.stoker.agent.runner.Affinity;
import io.stoker.agent.runner.Confinement;
import io.stoker.agent.runner.Isolation;
import io.stoker.agent.runner.PortRange;
import io.stoker.agent.runner.RendezvousPorts;
import io.stoker.agent.runner.RunTerms;
import io.stoker.common.life.ProcessEnd;
import io.stoker.common.life.Setting;
import io.stoker.common.request.Resources;
import io.stoker.common.topic.Topics;
import io.stoker.kafka.KafkaAccess;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/** Starts the agent with the application, and stops it before the channels close. */
@ApplicationScoped
public class AgentBean {
  private static final Logger LOG = Logger.getLogger(AgentBean.class);

  private final AgentConfig config;
  private final PoolsConfig pools;
  private final KafkaAccess kafka;
  private final Topics topics;
  private final Outlets outlets;
  private final String version;
  private Agent agent;
  private PlacementsReader reader;
  private RendezvousPorts meetings;
  private HostDevices devices;
  private DeviceWatch watch;
  private HealthWatch health;
  private MetricsEndpoint metrics;
  private DiskWatch disk;
  private MuteWatch mute;
  private Optional<HostKeyFile> keyFile = Optional.empty();

  public AgentBean(
      AgentConfig config,
      PoolsConfig pools,
      KafkaAccess kafka,
      KafkaSettings.TopicNames names,
      Outlets outlets,
      @ConfigProperty(name = "quarkus.application.version") String version) {
    this.config = config;
    this.pools = pools;
    this.kafka = kafka;
    this.topics = new Topics(names.prefix());
    this.outlets = outlets;
    this.version = version;
  }

  void start(@Observes StartupEvent event) throws IOException {
    String host = HostName.of(config.host());
    Path data = config.data().toAbsolutePath().normalize();
    devices =
        HostDevices.open(
            config.nvmlLibrary(),
            DeviceListSetting.of(ConfigProvider.getConfig()),
            mask(),
            (int) Setting.count("stoker.agent.cpu-slots", 0, config.cpuSlots()),
            new ToldDevices(data));
    AgentKey key = HostKeyFile.key(config.key(), config.keyFile());
    keyFile = config.keyFile().map(file -> new HostKeyFile(file, key));
    Confinement confinement = ConfinementOf.config(config, data);
    AgentSettings settings =
        new AgentSettings(
            new AgentName(host, config.fleet(), version),
            new AgentSettings.Data(data, StagedRules.size("disk.reserve", config.disk().reserve())),
            key,
            deciding(),
            terms(confinement),
            RunnersOf.config(config),
            config.stopWithin());
    HealthRecord.Rules standard = HealthRecord.Rules.DEFAULT;
    HealthBook book =
        new HealthBook(
            new HealthRecord.Rules(
                new XidPolicy(config.health().ignoredXids()),
                config.health().recovery().toMillis(),
                standard.failures(),
                standard.window(),
                standard.silences()));
    watch = new DeviceWatch(devices, book, config.health().cleanWithin());
    meetings =
        new RendezvousPorts(portRange(config.gangPorts()), ThreadLocalRandom.current().nextInt());
    agent = new Agent(settings, ports(confinement.isolation()), this::fatal);
    watch.start(agent.owner(), agent::roots, agent.loop()::post);
    watch.releaseOnce(agent::holdsNoDevice, agent.loop()::post);
    disk =
        new DiskWatch(
            data,
            new DiskWatch.Rules(
                config.disk().keep().toMillis(),
                StagedRules.size("disk.free-floor", config.disk().freeFloor()),
                new DiskFloor(StagedRules.size("disk.refuse-below", config.disk().refuseBelow())),
                settings.deciding().rules().disk().any(),
                share(config.disk().share())),
            agent.reserve(),
            new DiskAgent(agent));
    disk.start(config.disk().lookEvery().toMillis());
    if (config.jobMappingDir().isPresent()) {
      JobMapping mapping = new JobMapping(config.jobMappingDir().get());
      watch.also(new JobLabels(devices, agent.loop(), mapping)::look);
    }
    if (config.metrics().port().isPresent()) {
      Agent told = agent;
      metrics =
          new MetricsEndpoint(
              config.metrics().host(),
              config.metrics().port().get(),
              () -> told.look(watch.telemetry()));
      LOG.infof("metrics are at http://%s:%d/metrics", config.metrics().host(), metrics.port());
    }
    health =
        new HealthWatch(
            devices,
            book,
            config.health().probeEvery(),
            config.health().probeWithin(),
            agent.loop()::post);
    reader =
        new PlacementsReader(
            host,
            topics.placements(host),
            signatures(settings),
            kafka,
            new Rendezvous(config.address(), meetings),
            agent.loop());
    reader.start(agent.journaledOffset());
    keyFile.ifPresent(HostKeyFile::watch);
    mute =
        new MuteWatch(
            outlets,
            () -> PlacementsReader.consumer(kafka, host + "-asks"),
            topics.placements(host),
            config.restartAfter());
  }

  private AgentSettings.Deciding deciding() {
    boolean goesOn = config.partition() == AgentConfig.Partition.KEEP_RUNNING;
    return new AgentSettings.Deciding(
        StagedRules.of(config),
        PoolsOf.config(pools, config.secrets().keySet(), System.getenv()),
        goesOn ? config.maxOutage() : Duration.ZERO,
        (int) Setting.count("stoker.agent.look-ahead", 0, config.lookAhead()));
  }

  private RunTerms terms(Confinement confinement) {
    return new RunTerms(
        Setting.count("stoker.agent.log-cap", 0, config.logCap()),
        config.grace(),
        config.disk().keep().isPositive(),
        confinement,
        new GroupRules(
            config.cgroups().mode(),
            config.cgroups().parent(),
            config.cgroups().memoryMax(),
            config.memory().tolerance()));
  }

  private RecordSignatures signatures(AgentSettings settings) {
    try {
      return new RecordSignatures(
          settings.key(), config.signedPlacements(), agent.journaledSigned());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "stoker.agent.signed-placements: " + e.getMessage() + ": set stoker.agent.key-file", e);
    }
  }

  private static JobShare share(double part) {
    try {
      return new JobShare(part);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stoker.agent.disk.share: " + e.getMessage(), e);
    }
  }

  private static PortRange portRange(String text) {
    try {
      return PortRange.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stoker.agent.gang-ports: " + e.getMessage(), e);
    }
  }

  private Optional<String> mask() {
    return config.cudaMask() == AgentConfig.CudaMask.RESPECT
        ? DeviceMask.list(System.getenv())
        : Optional.empty();
  }

  private DeviceAllocator allocator() {
    Policies policies =
        config.extensions().map(Extensions::classes).map(Policies::load).orElseGet(Policies::load);
    PolicyChoice choice = new PolicyChoice(config.policy().name(), config.policy().parameters());
    try {
      return new DeviceAllocator(policies, choice, devices.toldList());
    } catch (PolicyException e) {
      throw new IllegalArgumentException("stoker.agent.policy: " + e.getMessage(), e);
    }
  }

  private Affinity affinity() throws IOException {
    return config.cpuAffinity() == AgentConfig.CpuAffinity.NEAR
        ? new NearCpus(devices::inventory, NearCpus.own())
        : Affinity.ANY;
  }

  /** Where a job can be had without a network, requests that want that find the host by a label. */
  private Map<String, String> labels(Isolation isolation) {
    Map<String, String> labels = new TreeMap<>(config.labels());
    if (isolation.canBeOffline()) {
      labels.putIfAbsent(Resources.NETWORK, Resources.NO_NETWORK);
    }
    return Map.copyOf(labels);
  }

  private HostPorts ports(Isolation isolation) throws IOException {
    return new HostPorts(
        devices.inventory(),
        allocator(),
        labels(isolation),
        OfferedMemory.of(config.memory().total(), new HostMeter(Path.of("/proc")).memory()),
        new Ports.Devices(watch, watch, watch::telemetry),
        affinity(),
        meetings,
        new HostPorts.Topics(
            outlets.events(), outlets.heartbeats(), outlets.logs(), outlets::deadLetter));
  }

  private void fatal(Throwable why) {
    LOG.errorf("exiting, to be restarted: %s", why.getMessage());
    Quarkus.asyncExit(ProcessEnd.RESTART_ME);
  }

  void stop(@Observes ShutdownEvent event) {
    keyFile.ifPresent(HostKeyFile::close);
    if (mute != null) {
      mute.close();
    }
    if (metrics != null) {
      metrics.close();
    }
    if (disk != null) {
      disk.close();
    }
    if (reader != null) {
      reader.close();
    }
    if (agent != null) {
      agent.stop(config.onStop() == AgentConfig.OnStop.END);
    }
    if (health != null) {
      health.close();
    }
    if (watch != null) {
      watch.close();
    }
    if (devices != null) {
      devices.close();
    }
  }
}
