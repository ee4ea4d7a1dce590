package io.stoker.e2e.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.InvertedShellWrapper;
import org.apache.sshd.server.shell.ProcessShell;

/**
 * A node of this machine: an SSH server, whose commands are real processes, with a home for them.
 */
public final class SshNode implements AutoCloseable {
  private static final String USER = "worker";
  private static final String TYPE = "ssh-ed25519";
  private static final int BITS = 256;

  private final Path folder;
  private final Path home;
  private final AtomicInteger logins = new AtomicInteger();
  private final KeyPair user = KeyUtils.generateKeyPair(TYPE, BITS);
  private final KeyPair host = KeyUtils.generateKeyPair(TYPE, BITS);
  private SshServer server;
  private int port;

  /**
   * @param folder for its home, the mapping file {@code nodes}, the user's key and {@code
   *     known_hosts}
   */
  public SshNode(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder;
    home = Files.createDirectories(folder.resolve("home"));
    try (var out = Files.newOutputStream(folder.resolve("id_node"))) {
      OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(user, "test", null, out);
    }
    start();
    Files.writeString(folder.resolve("nodes"), USER + "@127.0.0.1:" + port + " id_node\n");
    Files.writeString(
        folder.resolve("known_hosts"),
        "[127.0.0.1]:%d %s\n".formatted(port, PublicKeyEntry.toString(host.getPublic())));
  }

  /** Starts it, on the port that it had before. */
  public void start() throws IOException {
    server = SshServer.setUpDefaultServer();
    server.setHost("127.0.0.1");
    server.setPort(port);
    server.setKeyPairProvider(KeyPairProvider.wrap(host));
    server.setPublickeyAuthenticator(
        (name, offered, session) ->
            name.equals(USER) && KeyUtils.compareKeys(user.getPublic(), offered));
    server.addSessionListener(
        new SessionListener() {
          @Override
          public void sessionEvent(Session session, Event event) {
            if (event == Event.Authenticated) {
              logins.incrementAndGet();
            }
          }
        });
    server.setCommandFactory(
        (channel, command) ->
            new InvertedShellWrapper(
                new ProcessShell(List.of("/bin/sh", "-c", "cd '" + home + "' && " + command))));
    server.start();
    port = server.getPort();
  }

  /** How often somebody was let in. */
  public int logins() {
    return logins.get();
  }

  /** Cuts every connection, as a cable does. */
  public void cut() {
    server.getActiveSessions().forEach(session -> session.getIoSession().close(true));
  }

  /** Ends it with every connection; what runs there runs on. */
  public void stop() throws IOException {
    if (server.isStarted()) {
      cut();
      server.stop(true);
    }
  }

  /** Where it keeps runs. */
  public Path runs() {
    return home.resolve(".stoker").resolve("runs");
  }

  public Path folder() {
    return folder;
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
