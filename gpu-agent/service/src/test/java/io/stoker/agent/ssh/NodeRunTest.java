package io.stoker.agent.ssh;

import static io.stoker.agent.ssh.RunsOnSshd.code;
import static io.stoker.agent.ssh.RunsOnSshd.steps;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.ssh.LinkSettings.UnknownHosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs followed over real connections, whatever becomes of these. */
class NodeRunTest {
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
  void aJobRunsOnItsNode() throws Exception {
    Path gate = folder.resolve("gate");
    on.run(on.sshd.node(), steps(gate, 5)).begin();

    assertThat(on.next()).isEqualTo("began");
    Files.createFile(gate);
    assertThat(on.next()).isEqualTo(code(5));
    assertThat(on.stdout()).isEqualTo("one\ntwo\n");
    assertThat(on.sshd.logins).hasValue(1);
  }

  @Test
  void whatFailsUnexpectedlyIsTriedAgain() throws Exception {
    on.trouble.add(new IllegalStateException("nobody expected it"));

    on.run(on.sshd.node(), "true").begin();

    String first = on.next(); // it may be over when it is looked for again
    assertThat(first.equals("began") ? on.next() : first).isEqualTo(code(0));
  }

  @Test
  void cutInMidJobItGoesOnAndIsFollowedAgain() throws Exception {
    Path gate = folder.resolve("gate");
    on.run(on.sshd.node(), steps(gate, 7)).begin();
    assertThat(on.next()).isEqualTo("began");
    await().until(() -> on.stdout().equals("one\n"));

    on.sshd.cut();
    await().until(() -> on.sshd.logins.get() == 2);
    on.sshd.stop();
    Files.createFile(gate); // the job ends while nobody can see it
    await().until(() -> Files.exists(on.sshd.home.resolve(RunsOnSshd.FOLDER).resolve("exit")));
    on.sshd.start();

    assertThat(on.next()).isEqualTo(code(7));
    assertThat(on.stdout()).isEqualTo("one\ntwo\n");
    assertThat(on.told).isEmpty();
  }

  @Test
  void manyCutsLoseAndDoubleNothing() throws Exception {
    Path gate = folder.resolve("gate");
    on.run(
            on.sshd.node(),
            "sh",
            "-c",
            "i=0; until [ -e '%s' ]; do i=$((i+1)); echo line $i; sleep 0.01; done; exit 9"
                .formatted(gate))
        .begin();
    assertThat(on.next()).isEqualTo("began");
    for (int cuts = 0; cuts < 12; cuts++) {
      int before = on.sshd.logins.get();
      String seen = on.stdout();
      on.sshd.cut();
      boolean atOnce = cuts % 2 == 0; // in the middle of a look, or after one
      await()
          .pollInterval(Duration.ofMillis(5))
          .until(() -> on.sshd.logins.get() > before && (atOnce || !on.stdout().equals(seen)));
    }
    assertThat(on.told).isEmpty();

    Files.createFile(gate);

    assertThat(on.next()).isEqualTo(code(9));
    String all = Files.readString(on.sshd.home.resolve(RunsOnSshd.FOLDER).resolve("stdout"));
    assertThat(all).startsWith("line 1\nline 2\n");
    assertThat(on.stdout()).isEqualTo(all);
  }

  @Test
  void aChangedHostKeyIsRefusedAndTheJobRunsOn() throws Exception {
    Path gate = folder.resolve("gate");
    on.run(on.sshd.node(), steps(gate, 0)).begin();
    assertThat(on.next()).isEqualTo("began");
    on.sshd.stop();
    on.sshd.changeHostKey();
    on.sshd.start();
    Files.createFile(gate);
    await().until(() -> Files.exists(on.sshd.home.resolve(RunsOnSshd.FOLDER).resolve("exit")));
    assertThat(on.told).isEmpty();

    on.sshd.know(); // a person has looked at it

    assertThat(on.next()).isEqualTo(code(0));
  }

  @Test
  void stoppedItEndsWithItsWholeTree() throws Exception {
    Path up = folder.resolve("up");
    on.run(
            on.sshd.node(),
            "sh",
            "-c",
            "(setsid sh -c 'echo $$ >%1$s.new; mv %1$s.new %1$s; exec sleep 700' &); sleep 701"
                .formatted(up))
        .begin();
    assertThat(on.next()).isEqualTo("began");
    await().until(() -> Files.exists(up));
    OwnProcess strayed = OwnProcess.of(Long.parseLong(Files.readString(up).strip()));

    on.run.kill(20_000);

    assertThat(on.next()).isEqualTo(code(143));
    assertThat(strayed.alive()).isFalse();
  }

  @Test
  void stoppedWhileItsNodeIsAwayItEndsWhenTheNodeIsBack() throws Exception {
    on.run(on.sshd.node(), "sleep", "702").begin();
    assertThat(on.next()).isEqualTo("began");
    on.sshd.stop();
    on.run.kill(20_000);
    on.sshd.start();

    assertThat(on.next()).isEqualTo(code(143));
  }

  @Test
  void anotherAgentFollowsItOn() throws Exception {
    Path gate = folder.resolve("gate");
    on.run(on.sshd.node(), steps(gate, 4)).begin();
    assertThat(on.next()).isEqualTo("began");
    await().until(() -> on.stdout().equals("one\n"));
    on.run.close();
    on.links.close();

    on.links = on.links(UnknownHosts.STRICT);
    on.run(on.sshd.node(), "false").resume(true);
    Files.createFile(gate);

    assertThat(on.next()).isEqualTo(code(4));
    assertThat(on.stdout()).isEqualTo("one\ntwo\n");
  }

  @Test
  void manyRunsShareOneConnection() throws Exception {
    int n = 12; // a session has 8 channels
    for (int i = 0; i < n; i++) {
      on.beginAnother(i, "sh", "-c", "echo done");
    }
    int ended = 0;
    while (ended < n) {
      String said = on.next();
      ended += said.equals(code(0)) ? 1 : 0;
      assertThat(said).isIn("began", code(0));
    }
    assertThat(on.sshd.logins).hasValue(1);
  }
}
