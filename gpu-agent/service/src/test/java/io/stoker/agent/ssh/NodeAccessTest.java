package io.stoker.agent.ssh;

import static io.stoker.agent.ssh.RunsOnSshd.code;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may be reached, by which keys, and what is said where that fails. */
class NodeAccessTest {
  @TempDir Path folder;
  private RunsOnSshd on;

  @BeforeEach
  void open() throws Exception {
    on = new RunsOnSshd(folder);
  }

  @AfterEach
  void close() throws Exception {
    on.close();
  }

  @Test
  void onANodeWithAChangedHostKeyNothingIsStarted() throws Exception {
    on.sshd.stop();
    on.sshd.changeHostKey();
    on.sshd.start();
    int logins = on.sshd.logins.get();

    on.run(on.sshd.node(), 3, "true").begin();

    assertThat(on.next())
        .startsWith("not begun: LAUNCH: the host key of [127.0.0.1]:" + on.sshd.port())
        .contains("has CHANGED")
        .contains(on.sshd.knownHosts + " line 1");
    assertThat(on.sshd.logins).hasValue(logins);
  }

  @Test
  void anAnswerThatIsLargerThanAnyIsNotListenedToAndTheNextOneIs() throws Exception {
    Link link = on.links.to(on.sshd.node());

    assertThatThrownBy(() -> link.run("head -c %d /dev/zero".formatted(4L * Heard.MOST)))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("more than " + Heard.MOST + " bytes");

    assertThat(link.run("echo well")).asString().isEqualTo("well\n");
  }

  @Test
  void anUnknownHostIsRefused() throws Exception {
    Files.delete(on.sshd.knownHosts);

    on.run(on.sshd.node(), "true").begin();

    assertThat(on.next()).contains("LAUNCH").contains("is not in " + on.sshd.knownHosts);
  }

  @Test
  void anUnknownHostIsLearnedWhereThatIsAllowed() throws Exception {
    Files.delete(on.sshd.knownHosts);
    on.links.close();
    on.links = on.links(UnknownHosts.ACCEPT_NEW);

    on.run(on.sshd.node(), "true").begin();

    String said = on.next();
    assertThat(said.equals("began") ? on.next() : said).isEqualTo(code(0));
    assertThat(on.sshd.knownHosts).content().startsWith("[127.0.0.1]:" + on.sshd.port());
  }

  @Test
  void aKeyThatIsNotLetInIsNamed() throws Exception {
    Path other = TestSshd.write(TestSshd.pair("ssh-ed25519"), folder.resolve("id_other"));

    on.run(on.sshd.node(other), 3, "true").begin();

    assertThat(on.next()).contains("LAUNCH").contains("does not let the user in with key " + other);
  }

  @Test
  void aFileThatIsNoKeyIsNamed() throws Exception {
    Path other = Files.writeString(folder.resolve("id_none"), "no key\n");

    on.run(on.sshd.node(other), 3, "true").begin();

    assertThat(on.next()).contains("LAUNCH").contains("key file " + other);
  }

  @Test
  void aKeyWithAPassphraseServesWhereThatIsConfigured() throws Exception {
    Path key = on.sshd.protect("open sesame", folder.resolve("id_safe"));
    on.links.close();
    on.links = withPassphrase("open sesame");

    on.run(on.sshd.node(key), "true").begin();

    String said = on.next();
    assertThat(said.equals("began") ? on.next() : said).isEqualTo(code(0));
  }

  @Test
  void aKeyWithAPassphraseThatIsNotConfiguredIsNamed() throws Exception {
    Path key = on.sshd.protect("open sesame", folder.resolve("id_safe"));

    on.run(on.sshd.node(key), 3, "true").begin();

    assertThat(on.next())
        .contains("LAUNCH")
        .contains("key file " + key)
        .contains("if it has a passphrase, configure key-passphrase");
  }

  @Test
  void aWrongPassphraseIsSaidAndNotShown() throws Exception {
    Path key = on.sshd.protect("open sesame", folder.resolve("id_safe"));
    on.links.close();
    on.links = withPassphrase("guessed");

    on.run(on.sshd.node(key), 3, "true").begin();

    assertThat(on.next())
        .contains("LAUNCH")
        .contains("key file " + key + " cannot be used with the key-passphrase")
        .doesNotContain("guessed");
  }

  private MinaLinks withPassphrase(String passphrase) {
    return new MinaLinks(
        new LinkSettings(
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            on.sshd.knownHosts,
            UnknownHosts.STRICT,
            Optional.of(passphrase)));
  }

  @Test
  void rsaKeysServeToo() throws Exception {
    on.sshd.trust(TestSshd.pair("ssh-rsa"), folder.resolve("id_rsa"));

    on.run(on.sshd.node(folder.resolve("id_rsa")), "true").begin();

    String said = on.next();
    assertThat(said.equals("began") ? on.next() : said).isEqualTo(code(0));
  }

  @Test
  void aNodeThatIsNotThereIsTriedAgain() throws Exception {
    on.sshd.stop();

    on.run(on.sshd.node(), 3, "true").begin();

    assertThat(on.next())
        .contains("LAUNCH: worker@127.0.0.1:" + on.sshd.port() + " cannot be reached")
        .endsWith("(3 tries)");
    on.sshd.start();
  }

  @Test
  void anAnswerMayTakeLongerThanTheSilenceThatIsAllowed() {
    Iterator<Integer> heard = List.of(0, 3, 3, 4, 4, 9).iterator();
    Iterator<Boolean> over = List.of(false, false, true).iterator();
    assertThat(MinaLink.heardOut(over::next, heard::next)).isTrue();

    Iterator<Integer> less = List.of(0, 3, 3, 3).iterator();
    assertThat(MinaLink.heardOut(() -> false, less::next)).as("silent the second time").isFalse();
  }

  @Test
  void aNodeThatFallsSilentIsGivenUp() throws Exception {
    on.links.close();
    on.links =
        new MinaLinks(
            new LinkSettings(
                Duration.ofSeconds(30),
                Duration.ofSeconds(12), // in which a command begins on a busy machine, too
                on.sshd.knownHosts,
                UnknownHosts.STRICT,
                Optional.empty()));
    Link link = on.links.to(on.sshd.node());

    assertThatThrownBy(() -> link.run("sleep 600"))
        .isInstanceOf(LinkException.class)
        .hasMessageContaining("nothing more within 12000 ms");
  }

  @Test
  void aNodeThatSaysNothingIsGivenUpInTime() throws Exception {
    on.links.close();
    on.links =
        new MinaLinks(
            new LinkSettings(
                Duration.ofMillis(300),
                Duration.ofSeconds(30),
                on.sshd.knownHosts,
                UnknownHosts.STRICT,
                Optional.empty()));
    try (ServerSocket silent = new ServerSocket(0)) {
      Node node =
          new Node("a", "127.0.0.1", silent.getLocalPort(), Optional.of(on.sshd.key), "127.0.0.1");

      on.run(node, 2, "true").begin();

      assertThat(on.next()).contains("LAUNCH").endsWith("(2 tries)");
    }
  }
}
