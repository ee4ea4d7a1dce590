package io.stoker.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountsTest {
  @TempDir Path host;

  @Test
  void source_insideARoot_isWhereItsLinksLead() throws IOException {
    Path data = Files.createDirectories(host.resolve("data"));
    Path exp = Files.createDirectories(host.resolve("srv/exp"));
    Path link = Files.createSymbolicLink(host.resolve("srv/now"), exp);
    Mounts mounts = new Mounts(List.of(host.resolve("srv")));

    assertThat(mounts.source(exp, data)).isEqualTo(exp.toRealPath());
    assertThat(mounts.source(link, data)).isEqualTo(exp.toRealPath());
    assertThatIOException()
        .isThrownBy(() -> mounts.source(host.resolve("srv/none"), data))
        .withMessageContaining("does not exist");
  }

  @Test
  void source_outsideEveryRootOrByALinkOutOfOne_isRefused() throws IOException {
    Path data = Files.createDirectories(host.resolve("data"));
    Path other = Files.createDirectories(host.resolve("srv-other"));
    Files.createDirectories(host.resolve("srv"));
    Path out = Files.createSymbolicLink(host.resolve("srv/out"), other);
    Mounts mounts = new Mounts(List.of(host.resolve("srv")));

    for (Path refused : List.of(other, out, Path.of("/"), host.resolve("nowhere"))) {
      assertThatIOException()
          .isThrownBy(() -> mounts.source(refused, data))
          .withMessage(
              "workdir is %s, and containers of this host are given folders below [%s/srv] alone:"
                      .formatted(refused, host)
                  + " see stoker.agent.runners.container.mounts");
    }
    assertThatIOException()
        .isThrownBy(() -> new Mounts(List.of()).source(other, data))
        .withMessageContaining("below none alone");
  }

  @Test
  void source_thatHoldsTheAgentsData_isRefused() throws IOException {
    Path data = Files.createDirectories(host.resolve("data"));
    Path journal = Files.createDirectories(data.resolve("journal"));
    Mounts everything = new Mounts(List.of(Path.of("/")));

    for (Path refused : List.of(data, journal, host)) {
      assertThatIOException().isThrownBy(() -> everything.source(refused, data));
    }
  }
}
