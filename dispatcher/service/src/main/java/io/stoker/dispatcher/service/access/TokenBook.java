package io.stoker.dispatcher.service.access;

import io.quarkus.runtime.StartupEvent;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.security.AccessRole;
import io.stoker.common.security.AccessTokens;
import io.stoker.common.security.AccessTokens.Token;
import io.stoker.dispatcher.service.config.StokerConfig;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * The tokens in force: those of the file, which is read again at the first use after it changed.
 * Without a file nobody is asked for one on a loopback address, or where the configuration says so;
 * on any other address a token is made at the start and said in the log, as whoever reaches REST
 * may run commands.
 */
@ApplicationScoped
public class TokenBook {
  private static final Logger LOG = Logger.getLogger(TokenBook.class);

  private final Optional<Path> file;
  private final boolean open;
  private final String host;
  private final Guesses guesses = new Guesses();
  private State read = State.NOTHING;
  private AccessTokens tokens = AccessTokens.none();

  @Inject
  TokenBook(StokerConfig config, @ConfigProperty(name = "quarkus.http.host") String host) {
    this(config.http().tokensFile(), config.http().open(), host);
  }

  TokenBook(Optional<Path> file, boolean open, String host) {
    this.file = file;
    this.open = file.isEmpty() && (open || isLoopback(host));
    this.host = host;
  }

  /**
   * A file as it was when it was read.
   *
   * @param key tells it from another one in its place; null where links and copies have none
   */
  private record State(long modified, long size, Object key) {
    static final State NOTHING = new State(0, 0, null);
  }

  /** Does not start with a file that is wrong. */
  void start(@Observes StartupEvent event) throws IOException, MalformedJson {
    if (file.isPresent()) {
      tokens = read(file.get());
    } else if (!open) {
      String token = AccessTokens.random(AccessTokens.PREFIX);
      Token admin =
          new Token(
              AccessRole.ADMIN.key(),
              AccessRole.ADMIN.key(),
              List.of(),
              AccessTokens.hash(token),
              Instant.now().toString(),
              null);
      tokens = tokens.with(admin);
      LOG.warnf(
          "REST listens on %s without stoker.http.tokens-file: until this dispatcher ends it takes"
              + " this token, of the role admin: %s",
          host, token);
    } else if (!isLoopback(host)) {
      LOG.warnf("REST listens on %s and asks nobody who they are (stoker.http.open)", host);
    }
  }

  private AccessTokens read(Path path) throws IOException, MalformedJson {
    try {
      read = state(path);
      return AccessTokens.read(Files.readAllBytes(path));
    } catch (MalformedJson e) {
      throw new MalformedJson("stoker.http.tokens-file: " + path + ": " + e.getMessage());
    }
  }

  private static State state(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    return new State(
        attributes.lastModifiedTime().toMillis(), attributes.size(), attributes.fileKey());
  }

  /** Whether whoever calls may do everything. */
  public boolean isOpen() {
    return open;
  }

  /**
   * Looks a token up.
   *
   * @param address that it comes from
   */
  public synchronized Login login(String token, String address) {
    long nanos = System.nanoTime();
    String hash = AccessTokens.hash(token);
    Duration blocked = guesses.blocked(address, hash, nanos);
    if (!blocked.isZero()) {
      return new Login.Blocked(blocked);
    }
    Optional<Token> found = current().find(token, Instant.now());
    if (found.isEmpty()) {
      guesses.wrong(address, nanos);
      return new Login.Unknown();
    }
    guesses.right(address, hash);
    return new Login.Taken(Caller.of(found.get()));
  }

  /**
   * How long another secret than a token of the file is not looked at, as too many were wrong.
   *
   * @return zero if it is looked at
   */
  public synchronized Duration heldUp(String secret, String address) {
    return guesses.blocked(address, AccessTokens.hash(secret), System.nanoTime());
  }

  /** Counts another secret than a token of the file. */
  public synchronized void heard(String secret, String address, boolean right) {
    if (right) {
      guesses.right(address, AccessTokens.hash(secret));
    } else {
      guesses.wrong(address, System.nanoTime());
    }
  }

  /** Who calls with a certificate of this common name; empty if nobody of it is let in. */
  public synchronized Optional<Caller> certified(String name) {
    return current().certified(name, Instant.now()).map(Caller::of);
  }

  /** The secret by which dispatchers sign who has posted what; empty where nobody is asked. */
  public synchronized Optional<String> secret() {
    return open ? Optional.empty() : Optional.of(current().secret());
  }

  /** Of a file that is wrong now, those that it held before; of one that is gone, none. */
  private AccessTokens current() {
    if (file.isPresent()) {
      try {
        if (!state(file.get()).equals(read)) {
          tokens = read(file.get());
          LOG.infof("%s was read: %d tokens are in force", file.get(), tokens.tokens().size());
        }
      } catch (NoSuchFileException e) {
        if (!tokens.tokens().isEmpty()) {
          LOG.errorf("%s is gone: no token is taken any more", file.get());
          tokens = new AccessTokens(tokens.secret(), List.of());
          read = State.NOTHING;
        }
      } catch (IOException | MalformedJson e) {
        LOG.errorf("the tokens that were in force stay so: %s", e.getMessage());
      }
    }
    return tokens;
  }

  private static boolean isLoopback(String host) {
    return host.startsWith("127.")
        || host.equals("localhost")
        || host.equals("::1")
        || host.equals("[::1]");
  }
}
