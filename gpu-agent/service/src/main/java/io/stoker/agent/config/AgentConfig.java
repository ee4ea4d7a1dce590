package io.stoker.agent.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import io.stoker.agent.attempt.Idle;
import io.stoker.agent.attempt.Outgrow;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.loop.RecordSignatures;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The agent's configuration; every key is explained in application.properties. */
@ConfigMapping(prefix = "stoker.agent")
public interface AgentConfig {
  /** What becomes of running jobs when the agent gets SIGTERM. */
  enum OnStop {
    /** They run on, and the next agent adopts them; without one, the watchdog ends them. */
    KEEP,
    /** They end with the agent. */
    END
  }

  /** What becomes of running jobs while the broker cannot be reached. */
  enum Partition {
    /** They end with the lease; others get them. */
    KILL,
    /** They run on for {@code max-outage}, and nobody else gets them before that. */
    KEEP_RUNNING
  }

  /** On which processors jobs run that have GPUs. */
  enum CpuAffinity {
    /** On those that are nearest to them. */
    NEAR,
    ANY
  }

  /** Whether {@code CUDA_VISIBLE_DEVICES} of the agent is its device list. */
  enum CudaMask {
    RESPECT,
    /** The devices are not those that it means, as simulated ones. */
    IGNORE
  }

  /** This host's name: 1–128 of {@code A–Z a–z 0–9 . _ -}; the machine's own if not given. */
  Optional<String> host();

  @WithDefault("default")
  String fleet();

  /** Name or number by which other hosts reach this one; the machine's name if not given. */
  Optional<String> address();

  /** Ports at which gangs meet whose rank 0 is here: {@code FROM-TO}. */
  @WithDefault("20000-29999")
  String gangPorts();

  /** Folder for journal and runs; kept across restarts. */
  @WithDefault("/var/lib/stoker")
  Path data();

  /** The host's key, hex; without it, messages are not signed. */
  Optional<String> key();

  /** A file that holds the host's key instead; read again where it changes. */
  Optional<Path> keyFile();

  /** When what comes on the host's placements topic must be signed, where the host has a key. */
  @WithDefault("once-seen")
  RecordSignatures.Demand signedPlacements();

  /** CPU jobs at once, 0 or more. */
  @WithDefault("4")
  int cpuSlots();

  /** Device list; a blank one is not told from none here: see {@link DeviceListSetting}. */
  Optional<String> devices();

  /** What becomes of a mask of CUDA's in the agent's own environment, without such a list. */
  @WithDefault("respect")
  CudaMask cudaMask();

  @WithDefault("libnvidia-ml.so.1")
  String nvmlLibrary();

  @WithDefault("near")
  CpuAffinity cpuAffinity();

  /** How devices are chosen. */
  Policy policy();

  /** Folder of jars with policies of the user's own. */
  Optional<Path> extensions();

  /** When devices are given to nobody. */
  HealthConfig health();

  /** How staged jobs are let in, and in which order they are given devices. */
  GatesConfig.Scheduler scheduler();

  /** Up to where a host is used by staged jobs. */
  GatesConfig.UtilizationLimit utilizationLimit();

  /** What must stay free beside staged jobs. */
  GatesConfig.RemainLimit remainLimit();

  /** How much memory jobs may be promised, and what becomes of those that take more. */
  Memory memory();

  /** Control groups of its jobs. */
  Cgroups cgroups();

  /** What runs its jobs. */
  RunnersConfig runners();

  /** Whose requests it takes; everybody's if not given. */
  Optional<List<String>> users();

  /** What becomes of jobs whose GPUs do next to nothing. */
  IdleGpus idle();

  /** As whom jobs run, if the agent is root. */
  RunAsUsers runAs();

  /** What jobs are kept from besides. */
  IsolationConfig isolation();

  /** Whether requests may say themselves what to run; else kinds alone do. */
  @WithDefault("true")
  boolean allowCommands();

  /** Secrets that jobs may have, by name. */
  Map<String, SecretConfig> secrets();

  /** Whether jobs may become another user by programs that are meant for that, as sudo is. */
  @WithDefault("false")
  boolean gainPrivileges();

  /** How much jobs may write, and how long it stays. */
  DiskConfig disk();

  /** Where metrics are served. */
  Metrics metrics();

  /** Folder of the files by which dcgm-exporter labels GPUs with jobs. */
  Optional<Path> jobMappingDir();

  @WithDefault("keep")
  OnStop onStop();

  @WithDefault("kill")
  Partition partition();

  /** With {@code keep-running}: how long. */
  @WithDefault("24h")
  @WithConverter(Held.Time.class)
  Duration maxOutage();

  /** Between SIGTERM and SIGKILL. */
  @WithDefault("10s")
  @WithConverter(Held.Time.class)
  Duration grace();

  /** Bytes of output that are sent on, of one attempt. */
  @WithDefault("10485760")
  long logCap();

  /** How long what it says may stay unsent, though a broker answers, until it ends itself. */
  @WithDefault("5m")
  @WithConverter(Held.Period.class)
  Duration restartAfter();

  /** CPU jobs that are held behind the CPU slots at most; 0 = none. */
  @WithDefault("64")
  int lookAhead();

  /** Longest wait at a stop for jobs to end and reports to be sent. */
  @WithDefault("15s")
  @WithConverter(Held.Time.class)
  Duration stopWithin();

  /** For requests' {@code require} and {@code prefer}. */
  Map<String, String> labels();

  /** {@code stoker.agent.run-as}, {@code stoker.agent.run-as.queues.*} and {@code ….senders.*}. */
  interface RunAsUsers {
    /** User of this machine; the agent's own if not given. */
    @WithParentName
    Optional<String> user();

    /** Another one for the jobs of a queue, by its name. */
    Map<String, String> queues();

    /** Another one for the jobs of who logged in to post them, by their name there. */
    Map<String, String> senders();
  }

  /** {@code stoker.agent.memory.*}. */
  interface Memory {
    /** {@code off}, {@code warn} or {@code end}. */
    @WithDefault("warn")
    Outgrow.Action outgrow();

    /** How much more they may take, in proportion. */
    @WithDefault("0.1")
    double tolerance();

    /** How much all jobs may be promised, a size; what the host has if not given. */
    Optional<String> total();
  }

  /** {@code stoker.agent.cgroups.*}. */
  interface Cgroups {
    /** {@code auto}, {@code on} or {@code off}. */
    @WithDefault("auto")
    GroupRules.Mode mode();

    /** Folder of the group below which they are made; the agent's own if not given. */
    Optional<Path> parent();

    /** {@code none} or {@code promised}. */
    @WithDefault("none")
    GroupRules.MemoryMax memoryMax();
  }

  /** {@code stoker.agent.idle.*}. */
  interface IdleGpus {
    /** {@code off}, {@code warn} or {@code end}. */
    @WithDefault("warn")
    Idle.Action action();

    /** Percent. */
    @WithDefault("5")
    int below();

    /** For so long. */
    @WithDefault("30m")
    @WithConverter(Held.Period.class)
    Duration window();
  }

  /** {@code stoker.agent.metrics.*}. */
  interface Metrics {
    /** None are served without it; 0 for any that is free. */
    Optional<@WithConverter(Held.Port.class) Integer> port();

    /** Address that is listened on. */
    @WithDefault("0.0.0.0")
    String host();
  }

  /** {@code stoker.agent.policy} and {@code stoker.agent.policy.parameters.*}. */
  interface Policy {
    @WithParentName
    @WithDefault("first-fit")
    String name();

    /** By the parameter's name. */
    Map<String, String> parameters();
  }
}
