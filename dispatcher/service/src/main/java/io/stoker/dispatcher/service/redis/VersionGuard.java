package io.stoker.dispatcher.service.redis;

import io.stoker.dispatcher.status.StatusRecord;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Request;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/**
 * Keeps an older status from replacing a newer one, whatever order they come in: the comparison and
 * the write are one script in Redis.
 */
final class VersionGuard {
  private static final String SCRIPT =
      """
      local held = redis.call('HGET', KEYS[1], 'v')
      if held and tonumber(held) > tonumber(ARGV[1]) then return 0 end
      redis.call('HSET', KEYS[1], 'v', ARGV[1], 's', ARGV[2])
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
      return 1
      """;
  private static final String SHA = sha1(SCRIPT);

  private static final Duration KEPT = Duration.ofHours(1);

  private VersionGuard() {}

  /** Writes a status under a key unless a newer one is there. */
  static Request write(String key, StatusRecord record) {
    return Request.cmd(Command.EVALSHA)
        .arg(SHA)
        .arg("1")
        .arg(key)
        .arg(Long.toString(record.status().version()))
        .arg(record.json())
        .arg(Long.toString(KEPT.toMillis()));
  }

  /** Makes the script known to a Redis that does not have it. */
  static Request load() {
    return Request.cmd(Command.SCRIPT).arg("LOAD").arg(SCRIPT);
  }

  /** Whether Redis answered that it does not have the script; the client adds words before it. */
  static boolean unknown(Throwable error) {
    return String.valueOf(error.getMessage()).contains("NOSCRIPT");
  }

  private static String sha1(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }
}
