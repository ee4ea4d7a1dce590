package io.stoker.cli.stack.service;

import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.HostKey;
import io.stoker.cli.local.PrivateFile;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/**
 * The tokens of a secure stack: its dispatchers answer nobody else. The command line has one that
 * may do everything; people may make others beside it.
 *
 * @param secret hex, from which the command line's derives
 */
public record StackTokens(DataFolder data, String secret) {
  /** The key of dispatchers by which others name a file of their own. */
  public static final String KEY = "stoker.http.tokens-file";

  private static final String VARIABLE = "STOKER_HTTP_TOKENS_FILE";
  private static final String ADMIN = "stoker-admin";

  /** The command line's token, which people give to the page, too. */
  public Path own() {
    return data.secure().resolve("token");
  }

  /** Those that are taken, hashed. */
  private Path file() {
    return data.secure().resolve("tokens.json");
  }

  /** Whether somebody has named a file of their own. */
  public static boolean isNamedIn(Map<String, String> variables, Map<String, String> settings) {
    return variables.containsKey(VARIABLE) || settings.containsKey(KEY);
  }

  /** Makes the command line's, if it is not there. Returns what a dispatcher needs to take them. */
  public Map<String, String> make() throws IOException {
    OwnFiles.folder(data.secure());
    String token = AccessTokens.PREFIX + HostKey.derive(secret, "rest " + ADMIN);
    PrivateFile.write(own(), (token + "\n").getBytes(StandardCharsets.UTF_8));
    AccessTokens before = before();
    String hash = AccessTokens.hash(token);
    if (before.named(ADMIN).filter(one -> hash.equals(one.hash())).isEmpty()) {
      String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
      Token admin = new Token(ADMIN, AccessRole.ADMIN.key(), List.of(), hash, now, null);
      PrivateFile.write(file(), Json.bytes(before.with(admin)));
    }
    return Map.of(VARIABLE, file().toString());
  }

  private AccessTokens before() throws IOException {
    try {
      return AccessTokens.in(file());
    } catch (MalformedJson e) {
      throw new IOException("%s holds no tokens: %s".formatted(file(), e.getMessage()), e);
    }
  }
}
