package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PublicKey;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownHostsTest {
  private static final PublicKey ED = TestSshd.pair("ssh-ed25519").getPublic();
  private static final PublicKey OTHER = TestSshd.pair("ssh-ed25519").getPublic();
  private static final PublicKey OF_ANOTHER_TYPE = TestSshd.pair("ecdsa-sha2-nistp256").getPublic();

  @TempDir Path folder;
  private Path file;
  private KnownHosts strict;
  private KnownHosts accepting;

  @BeforeEach
  void open() {
    file = folder.resolve("ssh").resolve("known_hosts");
    strict = new KnownHosts(file, UnknownHosts.STRICT);
    accepting = new KnownHosts(file, UnknownHosts.ACCEPT_NEW);
  }

  private void lines(String... lines) throws Exception {
    Files.createDirectories(file.getParent());
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private static String text(PublicKey key) {
    return PublicKeyEntry.toString(key);
  }

  @Test
  void aKnownKeyIsRight() throws Exception {
    lines("# comment", "nonsense", "gpu-1,10.0.0.1 " + text(ED), "[gpu-2]:2222 " + text(OTHER));

    assertThat(strict.judge("gpu-1", 22, ED)).isEmpty();
    assertThat(strict.judge("10.0.0.1", 22, ED)).isEmpty();
    assertThat(strict.judge("gpu-2", 2222, OTHER)).isEmpty();
    assertThat(strict.types("gpu-1", 22)).containsExactly("ssh-ed25519");
  }

  @Test
  void aChangedKeyIsRefusedWithHostFileAndLine() throws Exception {
    lines("gpu-0 " + text(OTHER), "gpu-1 " + text(ED));

    for (KnownHosts known : new KnownHosts[] {strict, accepting}) {
      assertThat(known.judge("gpu-1", 22, OTHER).orElseThrow())
          .contains("host key of gpu-1 has CHANGED")
          .contains(file + " line 2");
    }
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  @Test
  void anotherTypeOfKeyIsAChangeToo() throws Exception {
    lines("gpu-1 " + text(ED));

    assertThat(accepting.judge("gpu-1", 22, OF_ANOTHER_TYPE).orElseThrow()).contains("CHANGED");
  }

  @Test
  void anUnknownHostIsRefusedAndTheFileNamed() throws Exception {
    assertThat(strict.judge("gpu-9", 2200, ED).orElseThrow())
        .contains("host key of [gpu-9]:2200")
        .contains("is not in " + file)
        .contains("SHA256:");
  }

  @Test
  void anUnknownHostIsWrittenDownWhereThatIsAllowed() throws Exception {
    assertThat(accepting.judge("gpu-9", 2200, ED)).isEmpty();

    assertThat(strict.judge("gpu-9", 2200, ED)).isEmpty();
    assertThat(accepting.judge("gpu-9", 2200, OTHER)).isPresent();
    assertThat(strict.judge("gpu-9", 22, ED)).as("another port is another host").isPresent();
  }

  @Test
  void whatIsWrittenDownBehindALineThatWasCutIsALineOfItsOwn() throws Exception {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "gpu-1 " + text(ED) + "\ngpu-2 ssh-ed255");

    assertThat(accepting.judge("gpu-3", 22, OTHER)).isEmpty();

    assertThat(strict.judge("gpu-1", 22, ED)).isEmpty();
    assertThat(strict.judge("gpu-3", 22, OTHER)).isEmpty();
  }

  @Test
  void aRevokedKeyIsRefused() throws Exception {
    lines("gpu-1 " + text(ED), "@revoked gpu-1 " + text(ED));

    assertThat(strict.judge("gpu-1", 22, ED).orElseThrow())
        .contains("is revoked")
        .contains("line 2");
  }
}
