package io.stoker.dispatcher.service.config;

import io.smallrye.config.ConfigMapping;
import io.smallrye.config.WithConverter;
import io.smallrye.config.WithDefault;
import io.smallrye.config.WithParentName;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The configuration of a dispatcher. */
@ConfigMapping(prefix = "stoker")
public interface StokerConfig {
  /** How topics are called. */
  Topic topics();

  /** Where statuses are published. */
  Status status();

  /** Name of this replica, for the logs and for who schedules; made up if absent. */
  Optional<String> replica();

  /** The fleet that is scheduled. */
  @WithDefault("default")
  String fleet();

  /** Hex secret from which hosts' keys derive; hosts are not authenticated without it. */
  Optional<String> hostSecret();

  /** Whose messages must be signed, where there is such a secret. */
  enum HostKeys {
    /** All hosts'. */
    REQUIRED,
    /** Those of hosts that have signed once. */
    ONCE_USED,
    /** Nobody's; what is signed is not looked at. */
    OFF
  }

  /** {@link HostKeys#REQUIRED} if absent; only {@link HostKeys#OFF} is of use without a secret. */
  Optional<HostKeys> hostKeys();

  /** How long a piece of work may take; a replica with one that takes longer does not schedule. */
  @WithDefault("30s")
  @WithConverter(Held.Period.class)
  Duration runDeadline();

  /**
   * How long it may be kept from its work, though Postgres and Kafka answer, until it ends itself.
   */
  @WithDefault("5m")
  @WithConverter(Held.Period.class)
  Duration restartAfter();

  /** Rights of hosts to their attempts. */
  Lease lease();

  PlacementConfig placement();

  /** Templates of requests. */
  Kinds kinds();

  /** Queues by name; {@code default} is there without being named. */
  Map<String, Queue> queues();

  /** Secrets of hosts, by name, and who may use them; nobody may use another. */
  Map<String, Secret> secrets();

  /** How queues share the fleet. */
  FairShare fairShare();

  /** When hosts are suspect. */
  Suspect suspect();

  /** What is learned of jobs' GPU memory. */
  Memory memory();

  Mail mail();

  /** How failed jobs are tried again. */
  Retry retry();

  /** How long what is over is kept. */
  Retention retention();

  // What follows is read by application.properties, which hands it on to Quarkus. It is declared
  // because a key that nothing declares is refused at the start.

  /** Where Kafka is, and how it is reached: {@link KafkaBean}. */
  Kafka kafka();

  Postgres postgres();

  /** When running jobs make room for others. */
  Preemption preemption();

  /** The fast memory. */
  Redis redis();

  /** Where REST is served. */
  Http http();

  /** By whom people log in beside the tokens. */
  Oidc oidc();

  /** Kafka's consumer group of all replicas. */
  @WithDefault("stoker-dispatcher")
  String group();

  /**
   * The group of those that read what agents report.
   *
   * @param dispatchers {@link #group}
   */
  static String eventsGroup(String dispatchers) {
    return dispatchers + "-events";
  }

  /** What is asked of connections to the database. */
  enum PostgresTls {
    /** Nothing but what its URL says. */
    DISABLE,
    /** That nobody reads along; whoever answers is believed. */
    REQUIRE,
    /** Besides, that the server has a certificate of its name, by an authority that is believed. */
    VERIFY_FULL
  }

  /** Read as {@link PemFiles}. */
  interface Pem {
    /** Certificates of the authorities that are believed. */
    Optional<Path> ca();

    /** A dispatcher's own certificate. */
    Optional<Path> cert();

    /** And its key. */
    Optional<Path> key();
  }

  interface Postgres {
    @WithDefault("postgresql://127.0.0.1:5432/stoker")
    String url();

    @WithDefault("stoker")
    String user();

    @WithDefault("stoker")
    String password();

    /** How connections to it are protected: read by what connects. */
    Tls tls();

    interface Tls extends Pem {
      @WithParentName
      @WithDefault("disable")
      PostgresTls mode();
    }

    /** Connections of one replica. */
    @WithDefault("12")
    int maxConnections();

    /** How long a connection may be silent while something is waited for; then it is closed. */
    @WithDefault("20s")
    @WithConverter(Held.Period.class)
    Duration readTimeout();
  }

  interface Redis {
    @WithDefault("redis://127.0.0.1:6379")
    String url();

    /** Of whoever asks it something; one within the URL wins. */
    Optional<String> password();

    /** By what the two believe each other, where the URL asks for TLS. */
    Pem tls();
  }

  interface Http {
    @WithDefault("127.0.0.1")
    String host();

    /** Further names under which REST may be called; {@code *} stands for all. */
    Optional<List<String>> names();

    /** Who may call, and what; see {@link io.stoker.common.security.AccessTokens}. */
    Optional<Path> tokensFile();

    /** Certificates (PEM) of the authorities by whose certificates callers may log in by HTTPS. */
    Optional<Path> clientCa();

    /** Whether nobody is asked who they are, on whatever address it listens. */
    @WithDefault("false")
    boolean open();

    @WithDefault("8080")
    @WithConverter(Held.Port.class)
    int port();

    /** Calls a second of one token, or of an address without one, in the long run. */
    @WithDefault("200")
    int callsPerSecond();

    /** Outputs of jobs that one caller reads at a time. */
    @WithDefault("100")
    int openLogs();

    /** How long who reads an output may take none of it; then the connection is closed. */
    @WithDefault("60s")
    @WithConverter(Held.Period.class)
    Duration stalledLogs();

    /** The port of health, metrics and the description, if it is to be another one. */
    Optional<@WithConverter(Held.Port.class) Integer> managementPort();
  }

  /** An OpenID Connect issuer. */
  interface Oidc {
    /** As its tokens name it, a URL; nobody logs in by one without it. */
    Optional<String> issuer();

    /** What a dispatcher is called there: its tokens are for this audience. */
    Optional<String> clientId();

    /** By which a dispatcher gets tokens for who logs in on the page; no one does without it. */
    Optional<String> clientSecret();

    /** What the issuer is asked to say of who logs in on the page. */
    @WithDefault("openid,profile")
    List<String> scopes();

    /** Where browsers come back to; as they call the dispatcher if absent. */
    Optional<String> callback();

    /** Certificates (PEM) of the authorities by which the issuer is believed. */
    Optional<Path> ca();

    /** The claim that names who logs in; {@code preferred_username}, else {@code sub}. */
    Optional<String> nameClaim();

    /** The claim whose values say what they may do; within others with dots. */
    @WithDefault("groups")
    String rolesClaim();

    /** Values of that claim by what they let people do. */
    Roles roles();

    /** Queues by such values, {@code *} for all; nobody is kept to some if none is named. */
    Map<String, List<String>> queues();

    interface Roles {
      Optional<Set<String>> read();

      Optional<Set<String>> submit();

      Optional<Set<String>> operate();

      Optional<Set<String>> admin();
    }
  }

  interface Kinds {
    /** Where they are configured; without it, none are but what another replica has read. */
    Optional<Path> file();
  }

  interface Kafka {
    Optional<String> bootstrapServers();

    /** Settings of Kafka's clients in its own form. */
    Optional<Path> config();

    /** Single ones, by Kafka's own names. */
    @WithParentName
    Map<String, String> settings();
  }

  interface Topic {
    @WithDefault("stoker.")
    String prefix();

    /** Copies of each partition of a host's topic; as many as there are brokers, up to 3. */
    OptionalInt replicationFactor();

    /** How many of them must have a record before it is acknowledged; the broker's default. */
    OptionalInt minInsyncReplicas();
  }

  /** On which topics statuses are. */
  enum StatusTopics {
    /** One for all. */
    ONE,
    /** Besides, one for each queue. */
    PER_QUEUE
  }

  interface Status {
    @WithDefault("one")
    StatusTopics topics();
  }

  interface Lease {
    /** How long a host keeps its attempts without a heartbeat. */
    @WithDefault("30s")
    @WithConverter(Held.Period.class)
    Duration duration();

    /** How much later than that the dispatcher gives them to others: time to kill, clock drift. */
    @WithDefault("5s")
    @WithConverter(Held.Time.class)
    Duration margin();

    @WithDefault("2s")
    @WithConverter(Held.Period.class)
    Duration heartbeat();

    @WithDefault("60s")
    @WithConverter(Held.Period.class)
    Duration inventory();

    /**
     * Whether every hello must answer a challenge, also those of hosts of which none ever has:
     * agents of builds that cannot are refused then.
     */
    @WithDefault("false")
    boolean requireChallenge();
  }

  interface Queue {
    /** Its share in proportion to the others'. */
    @WithDefault("1")
    double weight();

    /** Jobs of it that may be placed or running at once; no limit if absent. */
    OptionalInt maxRunning();

    /** Jobs of it that may stand in line; more are refused. No limit if absent. */
    OptionalInt maxQueued();

    /** Whether the plain requests topic and REST reach it: the default queue is open if absent. */
    Optional<Boolean> open();

    /** How long what no host can ever serve stands in line before it fails; never if absent. */
    Optional<@WithConverter(Held.Time.class) Duration> failUnsatisfiable();

    /** Whether its requests share runs and results with each other alone. */
    @WithDefault("false")
    boolean isolated();

    /** How much waiting makes up for a step of priority. */
    @WithDefault("10m")
    @WithConverter(Held.Period.class)
    Duration aging();
  }

  interface Secret {
    /** Whose requests may name it; {@code *} for all. */
    List<String> queues();
  }

  interface FairShare {
    /** How long it takes until half of what a queue has used is forgotten. */
    @WithDefault("12h")
    @WithConverter(Held.Period.class)
    Duration halfLife();
  }

  interface Mail {
    @WithDefault("localhost")
    String host();

    @WithDefault("25")
    @WithConverter(Held.Port.class)
    int port();

    /** DISABLED or REQUIRED: whether user and password are given to the server. */
    @WithDefault("DISABLED")
    String login();

    @WithDefault("stoker")
    String user();

    @WithDefault("stoker")
    String password();

    /** DISABLED, OPTIONAL or REQUIRED: whether the connection is made secret once it stands. */
    @WithDefault("OPTIONAL")
    String startTls();

    @WithDefault("stoker@localhost")
    String from();

    /** Who gets it, with commas; no mail is sent without it. */
    Optional<List<String>> to();

    /** Between two mails at least. */
    @WithDefault("1h")
    @WithConverter(Held.Time.class)
    Duration minInterval();

    /** Mails in any 24 hours at most. */
    @WithDefault("10")
    int maxNumbers();
  }

  interface Suspect {
    /** Different jobs in a row that cannot be started on a host; 0 suspects none. */
    @WithDefault("5")
    int failures();

    /** How long such a failure counts, and such a loss. */
    @WithDefault("10m")
    @WithConverter(Held.Period.class)
    Duration window();

    /** Times that a host is lost; 0 suspects none for that. */
    @WithDefault("3")
    int losses();

    /** How long a suspect host gets nothing after its last failure. */
    @WithDefault("60s")
    @WithConverter(Held.Time.class)
    Duration hold();
  }

  interface Preemption {
    /** Whether jobs that allow it may be ended for others' sake. */
    @WithDefault("false")
    boolean enabled();

    /** How long such a job may run in any case. */
    @WithDefault("10m")
    @WithConverter(Held.Time.class)
    Duration minRunTime();
  }

  interface Memory {
    /** Whether jobs are placed by what was measured. */
    @WithDefault("true")
    boolean learn();

    /** The part of what was measured that is to fit, more than 0 and at most 1. */
    @WithDefault("0.95")
    double quantile();

    /** What is added to that, in proportion. */
    @WithDefault("0.1")
    double margin();

    /** How long peaks are remembered to which none is added. */
    @WithDefault("30d")
    @WithConverter(Held.Period.class)
    Duration remember();
  }

  interface Retry {
    Backoff backoff();
  }

  interface Backoff {
    /** How long a job waits after its first failure, at most; 0 lets none wait. */
    @WithDefault("1s")
    @WithConverter(Held.Time.class)
    Duration first();

    /** By which that grows with each failure. */
    @WithDefault("2")
    double factor();

    /** How long it waits at most. */
    @WithDefault("2m")
    @WithConverter(Held.Time.class)
    Duration most();

    /** The part of a wait that chance may take away, 0 to 1. */
    @WithDefault("0.5")
    double jitter();
  }

  interface Retention {
    /** How long a request is known after its end: its status, its id, its place in a group. */
    @WithDefault("30d")
    @WithConverter(Held.Time.class)
    Duration requests();

    /** How long a result answers equal requests. */
    @WithDefault("30d")
    @WithConverter(Held.Time.class)
    Duration results();

    /** How long a host is listed after the last that was heard of it. */
    @WithDefault("30d")
    @WithConverter(Held.Time.class)
    Duration hosts();

    /** How long after one round of dropping the next begins. */
    @WithDefault("10m")
    @WithConverter(Held.Period.class)
    Duration every();
  }
}
