package io.stoker.agent.ssh;

import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyEncryptionContext;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.InvertedShellWrapper;
import org.apache.sshd.server.shell.ProcessShell;

/**
 * A real SSH server on this machine, whose commands are real processes; with a user's key, a file
 * of known hosts, and a home for what runs on it.
 */
public final class TestSshd implements AutoCloseable {
  public static final String USER = "worker";

  public final Path home;
  public final Path knownHosts;
  public final Path key;
  public final AtomicInteger logins = new AtomicInteger();
  private KeyPair user = pair("ssh-ed25519");
  private KeyPair host = pair("ssh-ed25519");
  private SshServer server;
  private int port;

  public TestSshd(Path folder) throws Exception {
    home = Files.createDirectories(folder.resolve("home"));
    knownHosts = folder.resolve("known_hosts");
    key = write(user, folder.resolve("id_test"));
    startOnAFreePort();
    know();
  }

  /**
   * Below the range of outgoing connections: while it is down, one of them could else be given its
   * port, and it would not start again.
   */
  private void startOnAFreePort() throws IOException {
    while (server == null || !server.isStarted()) {
      port = ThreadLocalRandom.current().nextInt(10_000, 32_768);
      try {
        start();
      } catch (BindException e) {
        // Somebody listens there: another one.
      }
    }
  }

  public static KeyPair pair(String type) {
    try {
      return KeyUtils.generateKeyPair(type, type.equals("ssh-rsa") ? 2048 : 256);
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Gives the user's key a passphrase, in a file of its own. */
  public Path protect(String passphrase, Path file) throws Exception {
    OpenSSHKeyEncryptionContext as = new OpenSSHKeyEncryptionContext();
    as.setPassword(passphrase);
    as.setCipherType("256");
    as.setKdfRounds(16);
    try (var out = Files.newOutputStream(file)) {
      OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(user, "test", as, out);
    }
    return file;
  }

  public static Path write(KeyPair pair, Path file) throws Exception {
    try (var out = Files.newOutputStream(file)) {
      OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(pair, "test", null, out);
    }
    return file;
  }

  /** Lets the user in with another key, and leaves that where it is asked to. */
  public void trust(KeyPair pair, Path file) throws Exception {
    write(pair, file);
    user = pair;
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
                new ProcessShell(
                    List.of("/bin/sh", "-c", "cd '" + home + "' && HOME=$PWD && " + command))));
    server.start();
  }

  /** Writes its host key into the file of known hosts. */
  public void know() throws IOException {
    Files.writeString(
        knownHosts,
        "[127.0.0.1]:%d %s\n".formatted(port, PublicKeyEntry.toString(host.getPublic())));
  }

  public void changeHostKey() {
    host = pair("ssh-ed25519");
  }

  /** Cuts every connection, as a cable does. */
  public void cut() {
    for (Session session : server.getActiveSessions()) {
      ((AbstractSession) session).getIoSession().close(true);
    }
  }

  /** Ends it with every connection. */
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

  public int connections() {
    return server.getActiveSessions().size();
  }

  public int port() {
    return port;
  }

  public Node node() {
    return node(key);
  }

  public Node node(Path with) {
    return new Node(USER, "127.0.0.1", port, java.util.Optional.of(with), "127.0.0.1");
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
