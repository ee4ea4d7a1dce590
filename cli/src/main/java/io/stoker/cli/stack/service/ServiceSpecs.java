package io.stoker.cli.stack.service;

import io.stoker.cli.config.KnownKeys;
import io.stoker.cli.config.KnownKeys.Reader;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.local.Role;
import io.stoker.cli.stack.child.ChildSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Says how the stack runs Stoker's own services: dispatchers, agents, and the migration. */
public final class ServiceSpecs {
  private static final String LOCATIONS = "-Dquarkus.config.locations=";

  /** A service's environment has 300: what people set for one start wins over what they keep. */
  private static final String BELOW_THE_ENVIRONMENT = "290";

  private static final List<String> MIGRATION_FLAGS =
      List.of("-Xmx128m", "-XX:TieredStopAtLevel=1");

  private final Home home;
  private final DataFolder data;
  private final Backends backends;
  private final String hostSecret;
  private final Map<String, String> settings;

  /**
   * @param settings of both services by key, weaker than what the stack gives them
   */
  public ServiceSpecs(
      Home home,
      DataFolder data,
      Backends backends,
      String hostSecret,
      Map<String, String> settings) {
    this.home = home;
    this.data = data;
    this.backends = backends;
    this.hostSecret = hostSecret;
    this.settings = settings;
  }

  /**
   * @param name e.g. {@code dispatcher-1}
   * @param extra environment variables that win over all others
   */
  public ChildSpec dispatcher(String name, int httpPort, Map<String, String> extra)
      throws IOException {
    Map<String, String> environment = new HashMap<>(backends.ofDispatcher());
    environment.put("STOKER_HTTP_PORT", Integer.toString(httpPort));
    // Whoever reaches a dispatcher may run commands: a local stack answers this machine alone.
    environment.put("QUARKUS_HTTP_HOST", "127.0.0.1");
    environment.put("STOKER_REPLICA", name);
    environment.putAll(extra);
    Map<String, String> secrets =
        new HashMap<>(SecretSettings.ofDatabase(backends.database().password()));
    secrets.put("stoker.host-secret", hostSecret);
    secrets.put("stoker.redis.password", backends.redisPassword());
    return ChildSpec.of(
        name,
        Role.DISPATCHER,
        ServiceProgram.dispatcher(home).command(settingsOf(Reader.DISPATCHER, name, secrets)),
        environment,
        data.workFolder(name),
        data.log(name),
        Duration.ofSeconds(15));
  }

  /** What the child that serves a host is called. */
  public static String agentName(String host) {
    return "agent-" + host;
  }

  /**
   * @param host e.g. {@code host-1}
   * @param extra environment variables that win over all others
   */
  public ChildSpec agent(String host, Map<String, String> extra) throws IOException {
    String name = agentName(host);
    Map<String, String> environment = new HashMap<>(backends.ofAgent());
    environment.put("STOKER_AGENT_HOST", host);
    environment.put("STOKER_AGENT_DATA", data.agent(host).toString());
    // All hosts are this machine, which may have no name that it knows.
    environment.put("STOKER_AGENT_ADDRESS", "127.0.0.1");
    // A stack that is stopped leaves no job behind.
    environment.put("STOKER_AGENT_ON_STOP", "end");
    environment.putAll(extra);
    return ChildSpec.of(
        name,
        Role.AGENT,
        ServiceProgram.agent(home)
            .command(
                settingsOf(
                    Reader.AGENT,
                    name,
                    Map.of(
                        "stoker.agent.key-file", HostKey.file(data, host, hostSecret).toString()))),
        environment,
        data.workFolder(name),
        data.log(name),
        Duration.ofSeconds(20));
  }

  /** What makes a service read those settings that are for its kind, and its secrets. */
  private List<String> settingsOf(Reader reader, String name, Map<String, String> secrets)
      throws IOException {
    String files = LOCATIONS + ServiceProgram.location(SecretSettings.write(data, name, secrets));
    if (!settings.isEmpty()) {
      files += "," + ServiceProgram.location(settingsFile(reader, name));
    }
    return List.of(files);
  }

  private Path settingsFile(Reader reader, String name) throws IOException {
    KnownKeys known = KnownKeys.ofThisBuild();
    Properties own = new Properties();
    own.setProperty(SecretSettings.ORDINAL, BELOW_THE_ENVIRONMENT);
    settings.forEach(
        (key, value) -> {
          if (known.concerns(reader, key)) {
            own.setProperty(key, value);
          }
        });
    return SecretSettings.write(data.workFolder(name).resolve("settings.properties"), own);
  }

  /** Brings the database to the schema of this build. */
  public void migrate() throws IOException, InterruptedException {
    Path log = data.log("migrate");
    List<String> flags = new ArrayList<>(MIGRATION_FLAGS);
    Map<String, String> secrets = SecretSettings.ofDatabase(backends.database().password());
    flags.add(LOCATIONS + ServiceProgram.location(SecretSettings.write(data, "migrate", secrets)));
    Migration.run(
        ServiceProgram.dispatcher(home).command(flags, "migrate"), backends.ofDispatcher(), log);
  }
}
