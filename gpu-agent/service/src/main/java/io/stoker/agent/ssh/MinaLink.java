package io.stoker.agent.ssh;

import io.stoker.agent.ssh.LinkException.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.util.security.SecurityUtils;

/** One node's session, made when it is needed and again when it has gone. */
final class MinaLink implements Link {
  /** OpenSSH's servers allow 10 channels a session. */
  private static final int MOST_CHANNELS = 8;

  private static final int CHUNK = 64 * 1024;

  /** Gives the client. */
  interface Clients {
    SshClient get() throws LinkException;
  }

  private final Node node;
  private final LinkSettings settings;
  private final Clients clients;
  private final Semaphore channels = new Semaphore(MOST_CHANNELS, true);
  private final ReentrantLock connecting = new ReentrantLock();
  private Optional<ClientSession> session = Optional.empty();

  MinaLink(Node node, LinkSettings settings, Clients clients) {
    this.node = node;
    this.settings = settings;
    this.clients = clients;
  }

  @Override
  public byte[] run(String script) throws LinkException {
    // The user's own shell may be any; the script is for a standard one.
    byte[] text = script.getBytes(StandardCharsets.UTF_8);
    return exec("sh -s", new ByteArrayInputStream(text));
  }

  @Override
  public void put(InputStream content, long size, String path, boolean executable)
      throws LinkException {
    String command =
        // To head a link that breaks is the end of the file: what came of it must not take its
        // place.
        "sh -c 'umask 077; part=%2$s.$$; head -c %1$d >$part && [ $(wc -c <$part) -eq %1$d ] &&"
            + " chmod %3$s $part && mv -f $part %2$s && wc -c <%2$s || { rm -f $part; exit 1; }'";
    String mode = executable ? "700" : "600";
    byte[] answer = exec(command.formatted(size, path, mode), content);
    String written = new String(answer, StandardCharsets.US_ASCII).strip();
    if (!written.equals(Long.toString(size))) {
      throw new LinkException(
          Kind.BROKEN, "%s came to %s with %s of %d bytes".formatted(path, node, written, size));
    }
  }

  private byte[] exec(String command, InputStream input) throws LinkException {
    boolean taken = false;
    try {
      taken = channels.tryAcquire(settings.answerTimeout().toMillis(), TimeUnit.MILLISECONDS);
      if (!taken) {
        throw new LinkException(Kind.UNREACHABLE, node + " is too busy: no channel is free");
      }
      return exec(connected(), command, input);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LinkException(Kind.BROKEN, "the agent is stopping");
    } finally {
      if (taken) {
        channels.release();
      }
    }
  }

  private byte[] exec(ClientSession over, String command, InputStream input) throws LinkException {
    Heard out = new Heard();
    Heard err = new Heard();
    try (ChannelExec channel = over.createExecChannel(command)) {
      channel.setOut(out);
      channel.setErr(err);
      channel.open().verify(settings.answerTimeout());
      send(channel, input);
      long silence = settings.answerTimeout().toMillis();
      if (!heardOut(() -> isClosedWithin(silence, channel), () -> out.size() + err.size())) {
        throw new IOException("nothing more within " + silence + " ms");
      }
      if (out.tooMuch() || err.tooMuch()) {
        throw new IOException(
            "an answer of more than " + Heard.MOST + " bytes is none to a script");
      }
      Integer exit = channel.getExitStatus();
      if (exit == null) {
        throw new IOException("the connection was cut");
      }
      if (exit != 0) {
        String why = new String(err.bytes(), StandardCharsets.UTF_8).strip();
        throw new LinkException(
            Kind.REFUSED, "%s answered with exit code %d: %s".formatted(node, exit, why));
      }
      return out.bytes();
    } catch (IOException | RuntimeException e) {
      drop(over);
      throw new LinkException(Kind.BROKEN, "the link to %s broke: %s".formatted(node, text(e)));
    }
  }

  private static boolean isClosedWithin(long ms, ChannelExec channel) {
    return !channel
        .waitFor(EnumSet.of(ClientChannelEvent.CLOSED), ms)
        .contains(ClientChannelEvent.TIMEOUT);
  }

  /**
   * Listens to an answer for as long as there is more of it each time.
   *
   * @param over waits for its end as long as silence is allowed, and says whether it has come
   * @param heard bytes of it so far
   * @return whether it has come to its end
   */
  static boolean heardOut(BooleanSupplier over, IntSupplier heard) {
    int before;
    do {
      before = heard.getAsInt();
      if (over.getAsBoolean()) {
        return true;
      }
    } while (heard.getAsInt() > before);
    return false;
  }

  private static void send(ChannelExec channel, InputStream input) throws IOException {
    try (OutputStream to = channel.getInvertedIn()) {
      byte[] buffer = new byte[CHUNK];
      int length;
      while ((length = input.read(buffer)) > 0) {
        to.write(buffer, 0, length);
      }
    }
  }

  private ClientSession connected() throws LinkException {
    connecting.lock();
    try {
      if (session.isPresent() && session.get().isOpen()) {
        return session.get();
      }
      session = Optional.empty();
      ClientSession fresh = connect(clients.get());
      session = Optional.of(fresh);
      return fresh;
    } finally {
      connecting.unlock();
    }
  }

  private ClientSession connect(SshClient client) throws LinkException {
    Duration within = settings.connectTimeout();
    Route route = new Route(node);
    ClientSession fresh;
    try {
      fresh =
          client
              .connect(
                  node.user(),
                  node.host(),
                  node.port(),
                  AttributeRepository.ofKeyValuePair(MinaLinks.ROUTE, route))
              .verify(within)
              .getSession();
    } catch (IOException | RuntimeException e) {
      throw new LinkException(
          Kind.UNREACHABLE, "%s cannot be reached: %s".formatted(node, text(e)));
    }
    try {
      identify(fresh);
      fresh.auth().verify(within);
      return fresh;
    } catch (IOException | RuntimeException e) {
      boolean heard = !fresh.isOpen() || fresh.getServerVersion() != null;
      fresh.close(true);
      if (route.refused().isPresent()) {
        throw new LinkException(Kind.REFUSED, route.refused().get());
      }
      boolean keyRefused = text(e).contains("No more authentication methods");
      throw new LinkException(
          keyRefused ? Kind.REFUSED : Kind.UNREACHABLE,
          keyRefused
              ? "%s does not let the user in with %s".formatted(node, keys())
              : "%s cannot be logged in to%s: %s"
                  .formatted(node, heard ? "" : " (it says nothing)", text(e)));
    } catch (LinkException e) {
      fresh.close(true);
      throw e;
    }
  }

  private String keys() {
    return node.key().map(key -> "key " + key).orElse("the keys of this agent's user");
  }

  private void identify(ClientSession fresh) throws LinkException, IOException {
    if (node.key().isEmpty()) {
      return; // the client goes by the keys in the user's .ssh folder
    }
    fresh.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
    Path file = node.key().get();
    boolean any = false;
    try (InputStream in = Files.newInputStream(file)) {
      Iterable<KeyPair> pairs =
          SecurityUtils.loadKeyPairIdentities(
              fresh, NamedResource.ofName(file.toString()), in, settings.passphrases());
      for (KeyPair pair : pairs == null ? List.<KeyPair>of() : pairs) {
        fresh.addPublicKeyIdentity(pair);
        any = true;
      }
    } catch (GeneralSecurityException | IOException | RuntimeException e) {
      throw new LinkException(
          Kind.REFUSED,
          "key file %s cannot be used%s: %s"
              .formatted(
                  file,
                  settings.passphrase().isPresent()
                      ? " with the key-passphrase that is configured"
                      : " (if it has a passphrase, configure key-passphrase)",
                  text(e)));
    }
    if (!any) {
      throw new LinkException(Kind.REFUSED, "key file " + file + " holds no private key");
    }
  }

  /** It is closed, so that whoever needs it next makes another. */
  private static void drop(ClientSession old) {
    old.close(true);
  }

  private static String text(Exception e) {
    Throwable last = e;
    while (last.getCause() != null && last.getCause() != last) {
      last = last.getCause();
    }
    String message = last.getMessage();
    return message == null || message.isBlank() ? last.getClass().getSimpleName() : message;
  }
}
