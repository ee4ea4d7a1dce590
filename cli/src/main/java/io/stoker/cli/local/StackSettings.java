package io.stoker.cli.local;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;

/**
 * The settings that a local stack keeps from run to run.
 *
 * @param clusterId Kafka's name for the cluster; the broker refuses data of another one
 * @param postgresPassword of the database's owner, {@code stoker}
 * @param hostSecret hex; hosts' keys are derived from it
 * @param kafkaSecret hex; passwords of Kafka's users derive from it. Null where Kafka takes anybody
 * @param ports by the name of what listens there
 */
public record StackSettings(
    String clusterId,
    String postgresPassword,
    String hostSecret,
    String kafkaSecret,
    Map<String, Integer> ports) {
  private static final SecureRandom RANDOM = new SecureRandom();

  public StackSettings {
    ports = Map.copyOf(ports);
  }

  /** The settings of a data folder that was used before. */
  public static Optional<StackSettings> read(DataFolder data) throws IOException {
    return file(data).read();
  }

  /** New secrets and no ports yet. */
  public static StackSettings fresh(String clusterId, boolean secure) {
    return new StackSettings(
        clusterId, randomHex(16), randomHex(32), secure ? randomHex(32) : null, Map.of());
  }

  /** Hex; derived, so that a stack which was made without a password for Redis has one too. */
  public String redisPassword() {
    return HostKey.derive(hostSecret, "stoker redis");
  }

  public StackSettings withPorts(Map<String, Integer> chosen) {
    return new StackSettings(clusterId, postgresPassword, hostSecret, kafkaSecret, chosen);
  }

  public void write(DataFolder data) throws IOException {
    file(data).write(this);
  }

  private static String randomHex(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  private static JsonFile<StackSettings> file(DataFolder data) {
    return new JsonFile<>(data.settingsFile(), StackSettings.class);
  }
}
